import { signal } from '@preact/signals';

/** The URLs to add, one per line. They survive navigation to other pages. */
export const addresses = signal('');

export function addAddresses(more: string): void {
  addresses.value = [addresses.peek().trimEnd(), more.trim()].filter((part) => part !== '').join('\n');
}
