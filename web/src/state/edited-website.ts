import { signal } from '@preact/signals';

/** The ID of the website that is being edited in the overview, `''` for a new one, or `null` if there is none. */
export const editedWebsite = signal<string | null>(null);

/** Opens the dialog for a website, or for a new one if there is no ID. */
export function openWebsite(id = ''): void {
  editedWebsite.value = id;
}
