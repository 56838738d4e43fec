import { signal } from '@preact/signals';

/** The page's only tooltip: its position in viewport pixels, and its text. */
const shown = signal<{ x: number; y: number; text: string } | null>(null);

export function showTip(x: number, y: number, text: string): void {
  shown.value = { x: Math.min(Math.max(x, 130), innerWidth - 130), y: y - 8, text };
}

export function hideTip(): void {
  shown.value = null;
}

/**
 * The tooltip, rendered once per page. It is hidden from screen readers, because the element below it has the same text
 * as its value.
 */
export function Tip() {
  const tip = shown.value;
  if (!tip) return null;
  return (
    <div class="tip" aria-hidden="true" style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
      {tip.text}
    </div>
  );
}
