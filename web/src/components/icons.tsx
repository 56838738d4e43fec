/** Strokes on a 24-unit grid. */
const PATHS = {
  plus: 'M12 5v14M5 12h14',
  home: 'M3 12h4l3-7.5 4.5 15L17.5 12H21',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  chart: 'M4 20V10m5.3 10V4m5.4 16v-7M20 20V8',
  gear: 'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Zm-7 10a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  sun: 'M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m0-11.4L4.9 4.9m14.2 14.2-1.4-1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z',
  auto: 'M12 3a9 9 0 1 0 0 18Zm0 0a9 9 0 0 1 0 18',
  help: 'M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .9-1 1.7m0 3.5v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z',
  book: 'M6 4h13v13H6a2 2 0 0 0-2 2V6a2 2 0 0 1 2-2Zm-2 15a2 2 0 0 0 2 2h13v-4',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 4v5l3.5 2',
  close: 'M6 6l12 12M18 6 6 18',
  chevron: 'M9 6l6 6-6 6',
  more: 'M5 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4ZM12 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4ZM19 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4Z',
  wrench:
    'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.8-3.8a6 6 0 0 1-8 8l-6.9 6.9a2.1 2.1 0 0 1-3-3l6.9-6.9a6 6 0 0 1 8-8Z',
  check: 'M4 12.5 9.5 18 20 6.5',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4ZM10 21h4M12 5V3',
  out: 'M10 4H5v16h5m5-12 4 4-4 4m4-4H9',
  mail: 'M4 6h16v12H4Zm0 1 8 6 8-6',
  chat: 'M4 5h16v11H10l-5 4v-4H4Z',
  hook: 'M8 4 3 12l5 8m8-16 5 8-5 8',
  alert: 'M12 4 2.5 20h19ZM12 10v4m0 3v.1',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18Z',
} as const;
export type IconName = keyof typeof PATHS;

/** A decorative icon in the text color. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.8"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);
