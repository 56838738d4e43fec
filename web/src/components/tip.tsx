import { signal } from '@preact/signals';

/** The one tooltip of the page: where it points (viewport pixels) and what it says. */
const shown = signal<{ x: number; y: number; text: string } | null>(null);

export function showTip(x: number, y: number, text: string): void {
  shown.value = { x: Math.min(Math.max(x, 130), innerWidth - 130), y: y - 8, text };
}

export function hideTip(): void {
  shown.value = null;
}

/** Rendered once. What it says is also the accessible value of what it points at, so it is hidden from screen readers. */
export function Tip() {
  const tip = shown.value;
  if (!tip) return null;
  return (
    <div class="tip" aria-hidden="true" style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
      {tip.text}
    </div>
  );
}
