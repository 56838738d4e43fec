import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** Actions by key, or by a sequence of two such as `g a`. */
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

function press(event: KeyboardEvent): void {
  if (!hasShortcuts.value && event.key !== '?') return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target, event.key))
    return;
  const combined = leader === '' ? event.key : `${leader} ${event.key}`;
  leader = '';
  clearTimeout(leaderTimer);
  for (const layer of [...layers].reverse()) {
    const action = layer.current[combined];
    if (!action) continue;
    event.preventDefault();
    action();
    return;
  }
  if (layers.some((layer) => Object.keys(layer.current).some((key) => key.startsWith(`${event.key} `)))) {
    leader = event.key;
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
