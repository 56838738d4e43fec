import { signal } from '@preact/signals';

/** The current time in milliseconds, a few seconds coarse: ages on the page follow it. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);
