/**
 * The product's mark: a U whose right arm ends in a status light. It is inlined, because an image would need one more
 * request before the first rows appear. `src/platform/mark.ts` draws the same mark for the tab icon.
 */
export const Mark = ({ size = 22 }: { size?: number }) => (
  <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M9.5 8v8.5a6.5 6.5 0 0 0 13 0V15" />
    <circle cx="22.5" cy="8.6" r="3.1" />
  </svg>
);
