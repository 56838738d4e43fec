import { signal } from '@preact/signals';

/** The one tooltip of the page: its position in viewport pixels, and its text. */
const shown = signal<{ x: number; y: number; text: string } | null>(null);

/** Shows the tooltip above a point. */
export function showTip(x: number, y: number, text: string): void {
  shown.value = { x: Math.min(Math.max(x, 130), innerWidth - 130), y: y - 8, text };
}

/** Hides the tooltip. */
export function hideTip(): void {
  shown.value = null;
}

/** The tooltip; rendered once per page. Hidden from screen readers: its text is also the value of the element below it. */
export function Tip() {
  const tip = shown.value;
  if (!tip) return null;
  return (
    <div class="tip" aria-hidden="true" style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
      {tip.text}
    </div>
  );
}
