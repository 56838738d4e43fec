import type { Header } from '../../api/types';
import { titled } from '../../logic/problem-text';
import { Button } from '../layout';

interface Props<T> {
  label: string;
  /** The word for a row, used in its accessible name. */
  noun: string;
  list: readonly T[];
  error?: string | undefined;
  empty: T;
  set: (list: T[]) => void;
  row: (item: T, change: (changes: Partial<T>) => void, number: number) => preact.ComponentChildren;
}

/** A list whose rows can be edited, added, and removed. */
export const EditableList = <T,>({ label, noun, list, error, empty, set, row }: Props<T>) => (
  <div class="field" role="group" aria-label={label}>
    <span class="label">{label}</span>
    {list.map((item, index) => (
      <div class="pairs" key={index}>
        {row(
          item,
          (changes) => set(list.map((each, at) => (at === index ? { ...each, ...changes } : each))),
          index + 1,
        )}
        <Button
          class="plain"
          label={`Remove ${noun} ${index + 1}`}
          onClick={() => set(list.filter((_, at) => at !== index))}
        >
          Remove
        </Button>
      </div>
    ))}
    {error !== undefined && <p class="error">{titled(error)}</p>}
    <p>
      <Button onClick={() => set([...list, empty])}>Add a {noun}</Button>
    </p>
  </div>
);

export const HeaderList = (props: Pick<Props<Header>, 'label' | 'list' | 'error' | 'set'>) => (
  <EditableList
    {...props}
    noun="header"
    empty={{ key: '', value: '' }}
    row={(header, change, number) =>
      (['key', 'value'] as const).map((part) => (
        <input
          key={part}
          aria-label={`${part === 'key' ? 'Name' : 'Value'} of header ${number}`}
          value={header[part]}
          onInput={(event) => change({ [part]: event.currentTarget.value })}
        />
      ))
    }
  />
);
