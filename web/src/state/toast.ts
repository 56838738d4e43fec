import { signal } from '@preact/signals';
import { ApiProblem } from '../api/client';

export interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'warn';
  text: string;
}

export const toasts = signal<Toast[]>([]);
let next = 1;

/** Shows a short message for a few seconds. */
export function tell(text: string, tone: Toast['tone'] = 'good'): void {
  const toast = { id: next++, tone, text };
  toasts.value = [...toasts.value, toast].slice(-4);
  setTimeout(() => dismiss(toast.id), tone === 'bad' ? 9000 : 5000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** The sentence for anything thrown. */
export function reason(error: unknown): string {
  if (error instanceof ApiProblem) {
    const fields = error.errors.map(({ pointer, message }) => `${pointer.replace(/^\//, '')}: ${message}`);
    return [error.message, ...fields].join(' ');
  }
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/** Runs an action a person asked for; a failure is told instead of thrown. Gives whether it worked. */
export async function attempt(action: () => Promise<unknown>, success?: string): Promise<boolean> {
  try {
    await action();
    if (success !== undefined) tell(success);
    return true;
  } catch (error) {
    tell(reason(error), 'bad');
    return false;
  }
}
