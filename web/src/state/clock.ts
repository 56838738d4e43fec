import { signal } from '@preact/signals';

/** The current time in milliseconds, updated every five seconds: the ages on the page follow it. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);
