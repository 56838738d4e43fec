import { signal } from '@preact/signals';

/** The current time in milliseconds, updated every five seconds. Ages on the page are based on it. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);
