import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type Act, commandsFor } from '../logic/palette';
import { checkNow, setEnabled, setWebsiteEnabled } from '../state/endpoint-actions';
import { muteNow } from '../state/mute';
import { openIncidents } from '../state/incidents';
import { itemOf, items, refreshWebsites, websites } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';
import { runAction } from '../state/toast';
import { Dialog } from './dialog';

interface Props {
  pages: readonly (readonly [title: string, path: string])[];
  onClose: () => void;
}

function run(act: Exclude<Act, { does: 'type' }>): unknown {
  switch (act.does) {
    case 'open':
      return go(act.path);
    case 'check':
      return checkNow(act.id, act.name);
    case 'mute':
      return runAction(() => muteNow(act.scope, act.what, act.seconds));
    case 'enable':
      return (act.of === 'website' ? setWebsiteEnabled : setEnabled)(act.id, act.name, act.enabled);
  }
}

/** The command palette, which opens a page or runs a command. It is a combobox whose list is always open. */
export function Palette({ pages, onClose }: Props) {
  const list = useId();
  const typed = useSignal('');
  const active = useSignal(0);
  const rows = useRef<HTMLUListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    itemOf('');
    if (websites.peek() === null) void refreshWebsites();
  }, []);
  const shown = useComputed(() =>
    commandsFor(typed.value, {
      items: items.value ?? [],
      websites: websites.value ?? [],
      pages,
      incidents: openIncidents.value ?? [],
      mayWrite: may.write(),
      mayMute: may.mute(),
    }),
  ).value;

  const type = (text: string) => {
    typed.value = text;
    active.value = 0;
  };
  const choose = (index: number) => {
    const act = shown[index]?.act;
    if (!act) return;
    if (act.does === 'type') {
      type(act.text);
      field.current?.focus();
      return;
    }
    onClose();
    void run(act);
  };
  const move = (by: number) => {
    active.value = shown.length === 0 ? 0 : (active.value + by + shown.length) % shown.length;
    rows.current?.children[active.value]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') choose(active.value);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Open a page or run a command" onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Name or command"
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown.length > 0 ? `${list}${active.value}` : undefined}
        autoComplete="off"
        spellcheck={false}
        placeholder={may.write() ? 'shop, pause shop, mute all 1 h' : may.mute() ? 'shop, mute all 1 h' : 'shop'}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <ul class="palette" ref={rows} id={list} role="listbox" aria-label="Matches">
        {shown.map(({ title, note }, index) => (
          <li
            key={`${title}/${note}`}
            id={`${list}${index}`}
            role="option"
            aria-selected={index === active.value}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => (active.value = index)}
            onClick={() => choose(index)}
          >
            <span>{title}</span>
            <span class="muted small">{note}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No matches.</p>}
      <p class="sr" role="status">
        {shown.length === 0 ? '' : `${shown.length} found`}
      </p>
    </Dialog>
  );
}
