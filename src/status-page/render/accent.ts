/** The background colors behind a page's links and stripe, light and dark. See `STATUS_STYLE`. */
const GROUNDS = { light: '#f3f5f9', dark: '#141a25' } as const;
/** The minimum contrast for text in WCAG 2.2 AA. */
const LEAST_CONTRAST = 4.5;
const STEPS = 20;

type Rgb = readonly [number, number, number];

/** Returns the relative luminance as defined in WCAG 2. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
const hexOf = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Returns the contrast between two `#rrggbb` colors, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [lighter, darker] = [luminance(rgbOf(a)), luminance(rgbOf(b))].sort((x, y) => y - x) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * Returns the accent color for light and dark mode. If it isn't readable on the page's background, it is darkened or
 * lightened by as little as necessary, so every page remains readable.
 */
export function readableAccent(accent: string): { light: string; dark: string } {
  return { light: towards(accent, [0, 0, 0], GROUNDS.light), dark: towards(accent, [255, 255, 255], GROUNDS.dark) };
}

function towards(accent: string, end: Rgb, ground: string): string {
  const from = rgbOf(accent);
  for (let step = 0; step <= STEPS; step++) {
    const mixed = hexOf(from.map((part, i) => part + (((end[i] ?? 0) - part) * step) / STEPS) as unknown as Rgb);
    if (contrast(mixed, ground) >= LEAST_CONTRAST) return mixed;
  }
  return hexOf(end);
}
