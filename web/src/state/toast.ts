import { signal } from '@preact/signals';
import { ApiProblem } from '../api/client';

/** A short message that disappears automatically. */
export interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'warn';
  text: string;
  /** Undoes the action that the message reports. */
  undo: (() => unknown) | null;
}

/** The messages on the page, oldest first. */
export const toasts = signal<Toast[]>([]);
let next = 1;

/** How long an action can be undone, in milliseconds. */
export const UNDO_MS = 10_000;

/** Shows a message for a few seconds, or for ten if it can be undone. Returns its ID. */
export function showToast(text: string, tone: Toast['tone'] = 'good', undo: Toast['undo'] = null): number {
  const toast = { id: next++, tone, text, undo };
  toasts.value = [...toasts.value, toast].slice(-4);
  setTimeout(() => dismiss(toast.id), undo ? UNDO_MS : tone === 'bad' ? 9000 : 5000);
  return toast.id;
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Returns a sentence that describes anything that was thrown. */
export function errorMessage(error: unknown): string {
  if (error instanceof ApiProblem) {
    const fields = error.errors.map(({ pointer, message }) => `${pointer.replace(/^\//, '')}: ${message}`);
    return [error.message, ...fields].join(' ');
  }
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/**
 * Runs a user action. If it fails, shows the error instead of throwing it. With `undo`, the user can undo the action.
 * Returns whether it succeeded.
 */
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
