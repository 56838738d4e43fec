import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  label: string;
  tabs: readonly (readonly [title: string, content: ComponentChildren])[];
}

/** Panels that are shown one at a time. They follow the ARIA tabs pattern. */
export function TabPanels({ label, tabs }: Props) {
  const id = useId();
  const shown = useSignal(0);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    shown.value = (shown.value + by + tabs.length) % tabs.length;
    document.getElementById(`${id}tab${shown.value}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} onKeyDown={press}>
        {tabs.map(([title], index) => (
          <button
            type="button"
            role="tab"
            key={title}
            id={`${id}tab${index}`}
            aria-controls={`${id}panel${index}`}
            aria-selected={index === shown.value}
            tabIndex={index === shown.value ? 0 : -1}
            onClick={() => (shown.value = index)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(([title, content], index) => (
        <div
          role="tabpanel"
          key={title}
          id={`${id}panel${index}`}
          aria-labelledby={`${id}tab${index}`}
          hidden={index !== shown.value}
        >
          {content}
        </div>
      ))}
    </>
  );
}
