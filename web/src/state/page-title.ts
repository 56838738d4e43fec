import { signal } from '@preact/signals';

/** The title of the page on screen, for the browser tab. `null` until the page has set it. */
export const pageTitle = signal<string | null>(null);
