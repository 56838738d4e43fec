import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isFormPage } from './router';

/** Actions by key, by a sequence of two keys such as `g a`, or by `Ctrl k`, which also matches Cmd-K. */
type Keys = Record<string, () => unknown>;

const STORED = 'uptime.shortcuts';

function stored(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

/** Whether single-key shortcuts are turned on. Speech input users must be able to turn them off (WCAG 2.1.4). */
export const hasShortcuts = signal(stored());

/** Turns the shortcuts on or off in this browser. */
export function setShortcuts(on: boolean): void {
  hasShortcuts.value = on;
  try {
    localStorage.setItem(STORED, on ? 'on' : 'off');
  } catch {
    // Without storage, the setting is kept until the page is closed.
  }
}

const layers: { current: Keys }[] = [];
let leader = '';
let leaderTimer = 0;

/**
 * Whether the focused element uses the key itself: fields, open dialogs, and Enter on clickable elements. Chromium
 * leaves the focus in a closed dialog until the next frame. A key pressed before that frame belongs to the page.
 */
function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement) || target.closest('dialog:not([open])')) return false;
  if (target.closest('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]')) return true;
  return key === 'Enter' && target.closest('a, button, summary') !== null;
}

/** Runs the action that the most recently shown component bound to these keys. Returns whether there is one. */
function act(event: KeyboardEvent, keys: string): boolean {
  const action = layers.findLast((layer) => layer.current[keys])?.current[keys];
  if (!action) return false;
  event.preventDefault();
  action();
  return true;
}

function press(event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.altKey || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey) {
    // Key combinations aren't typing, so they work in fields and when single-key shortcuts are turned off.
    if (!(target instanceof Element && target.closest('dialog[open]'))) act(event, `Ctrl ${key.toLowerCase()}`);
    return;
  }
  const isOff = !hasShortcuts.value || isFormPage.peek();
  if ((isOff && key !== '?') || isTaken(target, key)) return;
  const combined = leader === '' ? key : `${leader} ${key}`;
  leader = '';
  clearTimeout(leaderTimer);
  if (act(event, combined)) return;
  if (layers.some((layer) => Object.keys(layer.current).some((each) => each.startsWith(`${key} `)))) {
    leader = key;
    leaderTimer = window.setTimeout(() => {
      leader = '';
    }, 1200);
  }
}

addEventListener('keydown', press);

/** Binds keys such as `j` or `g a` while the component is shown. The most recently shown component has priority. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  useEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}
