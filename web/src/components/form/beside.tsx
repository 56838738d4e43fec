import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { CopyButton } from '../copy';
import { type Call, Curl } from './api-call';

interface Props {
  /** What the form makes, as its readers see it. */
  preview?: ComponentChildren;
  call: Call;
  /** The same as a configuration document; `null` where nobody here can write one. */
  yaml?: string | null;
  /** It stays in sight while a long form is scrolled. */
  stays?: boolean;
}

/** Beside a form: what it makes, and how it is made without the form. One of several tabs, by the pattern of ARIA. */
export function Beside({ preview, call, yaml = null, stays = false }: Props) {
  const id = useId();
  const tabs: [title: string, content: ComponentChildren][] = [];
  if (preview) tabs.push(['Preview', preview]);
  tabs.push(['curl', <Curl {...call} />]);
  if (yaml !== null) tabs.push(['YAML', <Yaml text={yaml} />]);
  const shown = useSignal(0);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    shown.value = (shown.value + by + tabs.length) % tabs.length;
    document.getElementById(`${id}tab${shown.value}`)?.focus();
  };
  return (
    <div class={`beside${stays ? ' stays' : ''}`}>
      <div role="tablist" aria-label="What the form makes" onKeyDown={press}>
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
    </div>
  );
}

const Yaml = ({ text }: { text: string }) => (
  <>
    <p class="muted small">
      As a file for <code>uptime plan</code> and <code>uptime apply</code>: each <code>$secret</code> is asked for by
      its name.
    </p>
    <pre tabIndex={0} role="region" aria-label="YAML document">
      {text}
    </pre>
    <p class="actions">
      <CopyButton text={text} label="Copy YAML" />
    </p>
  </>
);
