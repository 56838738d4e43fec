import type { TargetedFocusEvent } from 'preact';

interface Choice {
  /** The newest that can be chosen; -1: none. */
  last: number;
  /** The chosen one. */
  index: number | null;
  /** What is said of it, or of all while none is chosen. */
  text: string;
  select: (index: number) => void;
  leave: () => void;
}

/** What makes an element a slider over bars or squares. Reached by the keyboard it begins at the newest. */
export const sliderOver = ({ last, index, text, select, leave }: Choice) => ({
  role: 'slider' as const,
  tabIndex: 0,
  'aria-valuemin': 0,
  'aria-valuemax': Math.max(0, last),
  'aria-valuenow': index ?? Math.max(0, last),
  'aria-valuetext': text,
  onFocus: (event: TargetedFocusEvent<HTMLElement>) => {
    if (event.currentTarget.matches(':focus-visible')) select(last);
  },
  onBlur: leave,
  onPointerLeave: leave,
});
