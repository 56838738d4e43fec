import { signal } from '@preact/signals';

/** The addresses that are being added, one a line: they stay while one looks at other pages. */
export const addresses = signal('');

/** Puts more addresses below those that are there. */
export function addAddresses(more: string): void {
  addresses.value = [addresses.peek().trimEnd(), more.trim()].filter((part) => part !== '').join('\n');
}
