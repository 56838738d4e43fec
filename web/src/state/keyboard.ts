import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Actions by key, by a sequence of two such as `g a`, or by `Ctrl k`, which is Cmd-K as well. */
type Keys = Record<string, () => unknown>;

const STORED = 'uptime.shortcuts';

function stored(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

/** Whether single keys act. WCAG 2.1.4: speech input and typing errors must be able to switch them off. */
export const hasShortcuts = signal(stored());

/** Switches the shortcuts on or off, for this browser. */
export function setShortcuts(on: boolean): void {
  hasShortcuts.value = on;
  try {
    localStorage.setItem(STORED, on ? 'on' : 'off');
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

const layers: { current: Keys }[] = [];
let leader = '';
let leaderTimer = 0;

/**
 * Whether the focused element uses the key itself: fields, open dialogs, and Enter on what can be clicked. Chromium leaves
 * the focus in a dialog that was just closed until the next frame: a key pressed by then belongs to the page.
 */
function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement) || target.closest('dialog:not([open])')) return false;
  if (target.closest('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]')) return true;
  return key === 'Enter' && target.closest('a, button, summary') !== null;
}

/** Runs what the newest component binds to the keys. Returns whether there is something. */
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
    // No typing: it works in fields too, and where single keys are off.
    if (!(target instanceof Element && target.closest('dialog[open]'))) act(event, `Ctrl ${key.toLowerCase()}`);
    return;
  }
  if ((!hasShortcuts.value && key !== '?') || isTaken(target, key)) return;
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

/** Binds keys such as `j` or `g a` while the component is shown; the newest component wins. */
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
