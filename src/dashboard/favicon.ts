/** The tab's icon: a heartbeat line on green, or the number of endpoints that are down on red. */
export function favicon(down: number): string {
  const color = down > 0 ? '#d3302f' : '#1a9a63';
  const mark =
    down > 0
      ? `<text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="700" font-size="${down > 99 ? 13 : 18}" fill="#fff">${down > 99 ? '99+' : down}</text>`
      : '<path d="M5 17h5l3-8 5 14 3-6h6" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/>';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${color}"/>${mark}</svg>`;
}
