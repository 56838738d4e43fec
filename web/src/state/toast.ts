import { signal } from '@preact/signals';
import { ApiProblem } from '../api/client';

/** A short message that disappears by itself. */
export interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'warn';
  text: string;
  /** Takes back what the message tells of. */
  undo: (() => unknown) | null;
}

/** The messages on the page now, oldest first. */
export const toasts = signal<Toast[]>([]);
let next = 1;

/** Milliseconds for which something can be taken back. */
export const UNDO_MS = 10_000;

/** Shows a message for a few seconds, and for ten with a way back. Returns its id. */
export function showToast(text: string, tone: Toast['tone'] = 'good', undo: Toast['undo'] = null): number {
  const toast = { id: next++, tone, text, undo };
  toasts.value = [...toasts.value, toast].slice(-4);
  setTimeout(() => dismiss(toast.id), undo ? UNDO_MS : tone === 'bad' ? 9000 : 5000);
  return toast.id;
}

/** Takes a message away at once. */
export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** A sentence about anything that was thrown. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiProblem) {
    const fields = error.errors.map(({ pointer, message }) => `${pointer.replace(/^\//, '')}: ${message}`);
    return [error.message, ...fields].join(' ');
  }
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/** Runs what the user asked for and shows a failure instead of throwing it; with `undo` its success can be taken back. Returns whether it worked. */
export async function runAction(
  action: () => Promise<unknown>,
  success?: string,
  undo: Toast['undo'] = null,
): Promise<boolean> {
  try {
    await action();
    if (success !== undefined) showToast(success, 'good', undo);
    return true;
  } catch (error) {
    showToast(errorMessage(error), 'bad');
    return false;
  }
}
