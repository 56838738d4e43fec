import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

type Keys = Record<string, () => unknown>;

const STORED = 'uptime.shortcuts';

function stored(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
}

/** Whether single keys act; people who dictate or mistype can switch them off. */
export const hasShortcuts = signal(stored());

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

/** Keys belong to whoever has the focus there: fields, widgets that use arrows or letters, open dialogs. */
function isTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, dialog, [contenteditable]')) return true;
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

/** Keys while the component is shown, such as `j` or `g a`; the newest component wins. */
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
