import type { TargetedFocusEvent } from 'preact';

interface Choice {
  /** The newest selectable index, or -1 if there is none. */
  last: number;
  index: number | null;
  /** The text for the selected item, or for all items if nothing is selected. */
  text: string;
  select: (index: number) => void;
  leave: () => void;
}

/** Returns the props for a slider over bars or squares. When focused with the keyboard, it starts at the newest one. */
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
