/** The colors of the tab icon: all endpoints are up, some are degraded, or some are down. */
export const MARK_COLORS = { up: '#0f7a4d', degraded: '#b4540a', down: '#cc2229' } as const;

export type MarkState = keyof typeof MARK_COLORS;

/**
 * The product's mark: a U whose right arm ends in a status light. Its strokes are at least 2 pixels wide in a 16-pixel
 * icon.
 */
const MARK =
  '<path d="M9.5 8v8.5a6.5 6.5 0 0 0 13 0V15" fill="none" stroke="#fff" stroke-width="4.4" stroke-linecap="round"/><circle cx="22.5" cy="8.6" r="3.1" fill="#fff"/>';

const numbered = (text: string): string =>
  `<text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="${text.length > 2 ? 13 : 18}" fill="#fff">${text}</text>`;

/** Returns the icon as SVG. With `down`, it shows how many endpoints are down instead of the mark. */
export function markSvg(state: MarkState = 'up', down = 0): string {
  const inside = state === 'down' && down > 0 ? numbered(down > 99 ? '99+' : String(down)) : MARK;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${MARK_COLORS[state]}"/>${inside}</svg>`;
}
