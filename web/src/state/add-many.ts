import { signal } from '@preact/signals';

/** The URLs to add, one per line. They are kept when the user goes to another page. */
export const addresses = signal('');

export function addAddresses(more: string): void {
  addresses.value = [addresses.peek().trimEnd(), more.trim()].filter((part) => part !== '').join('\n');
}
