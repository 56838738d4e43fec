import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { type Choosable, matching, MOST_SHOWN } from '../../logic/chosen';
import { count } from '../../logic/format';
import { may } from '../../state/session';
import { Button } from '../layout';
import { Field } from './field';

interface Props {
  label: string;
  value: string;
  set: (value: string) => void;
  options: Choosable;
  /** Shown while nothing is selected. */
  placeholder: string;
  error?: string | undefined;
  hint?: string | undefined;
  /** A filter has no visible label, and read-only users can change it. */
  isFilter?: boolean;
}

/** A select with a search box, for long lists of options. It follows the ARIA combobox pattern. */
export const Chooser = ({ isFilter, error, ...props }: Props) =>
  isFilter ? (
    <Combobox {...props} control={{ 'aria-label': props.label }} />
  ) : (
    <Field label={props.label} error={error && (props.value === '' ? props.placeholder : error)}>
      {(control) => <Combobox {...props} control={control} />}
    </Field>
  );

interface ManyProps extends Omit<Props, 'value' | 'set' | 'isFilter'> {
  values: readonly string[];
  set: (values: string[]) => void;
}

/** Selects several options. The selected ones are listed, and a search box below adds more. */
export const Many = ({ values, set, options, error, ...props }: ManyProps) => (
  <div>
    <Field label={props.label} hint={props.hint} error={error}>
      {(control) => (
        <Combobox
          {...props}
          control={control}
          value=""
          set={(value) => value !== '' && set([...values, value])}
          options={options.filter(([value]) => !values.includes(value))}
        />
      )}
    </Field>
    {values.length > 0 && (
      <ul class="chosen" aria-label={`${props.label}: chosen`}>
        {values.map((value) => {
          const title = options.find(([each]) => each === value)?.[1] ?? value;
          return (
            <li key={value}>
              <span>{title}</span>
              {may.write() && (
                <Button
                  class="plain"
                  label={`Remove ${title}`}
                  onClick={() => set(values.filter((each) => each !== value))}
                >
                  Remove
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    )}
  </div>
);

function Combobox({ label, value, set, options, placeholder, control }: Props & { control: object }) {
  const list = `${useId()}list`;
  const isOpen = useSignal(false);
  /**
   * The text typed since the list was opened. `null` means that nothing was typed, so the field shows the selected
   * option.
   */
  const typed = useSignal<string | null>(null);
  const active = useSignal(0);
  const popup = useRef<HTMLUListElement>(null);
  const matches = isOpen.value ? matching(options, typed.value ?? '') : [];
  const shown = matches.slice(0, MOST_SHOWN);
  const more = matches.length - shown.length;
  const title = value === '' ? '' : (options.find(([each]) => each === value)?.[1] ?? '');

  const open = (text: string | null) => {
    isOpen.value = true;
    typed.value = text;
    active.value = 0;
  };
  const close = () => {
    isOpen.value = false;
    typed.value = null;
  };
  const choose = (index: number) => {
    const option = shown[index];
    if (option) set(option[0]);
    close();
  };
  const move = (by: number) => {
    if (!isOpen.value) return open(null);
    active.value = shown.length === 0 ? 0 : (active.value + by + shown.length) % shown.length;
    popup.current?.children[active.value]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    const action = { ArrowDown: () => move(1), ArrowUp: () => move(-1) }[event.key];
    if (action) action();
    else if (isOpen.value && event.key === 'Enter') choose(active.value);
    else if (event.key === 'Escape' && isOpen.value) close();
    else if (event.key === 'Escape' && value !== '') set('');
    else return;
    event.preventDefault();
  };
  return (
    <div class="chooser">
      <input
        {...control}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen.value}
        aria-controls={list}
        aria-activedescendant={shown.length > 0 ? `${list}${active.value}` : undefined}
        autoComplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={typed.value ?? title}
        onInput={(event) => open(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => !isOpen.value && open(null)}
        onBlur={() => {
          if (typed.value === '') set('');
          close();
        }}
        onKeyDown={press}
      />
      <div class="popup" hidden={!isOpen.value}>
        <ul ref={popup} id={list} role="listbox" aria-label={label}>
          {shown.map(([each, text], index) => (
            <li
              key={each}
              id={`${list}${index}`}
              role="option"
              aria-selected={each === value}
              class={index === active.value ? 'active' : ''}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(index)}
            >
              {text}
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p class="muted">No matches.</p>}
        {more > 0 && <p class="muted small">{count(more, 'more', 'more')}: type to narrow them down</p>}
      </div>
      <span class="sr" role="status">
        {isOpen.value && `${count(matches.length, 'match', 'matches')}${more > 0 ? `, ${MOST_SHOWN} are shown` : ''}`}
      </span>
    </div>
  );
}
