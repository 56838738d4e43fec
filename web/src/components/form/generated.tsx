import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ConfigValue, generatedIn } from '../../logic/config-schema';
import { CopyButton } from '../copy';

/** Secrets that the service generated, and the id of what they belong to. */
const kept = signal<{ id: string; text: string } | null>(null);

/** Keeps what the service generated for something until its page is left: only the response that created it holds that. */
export function keepGenerated({ id, config }: { id: string; config: ConfigValue }, sent: ConfigValue): void {
  const secrets = generatedIn(config, sent);
  if (secrets.length > 0) kept.value = { id, text: secrets.join('\n') };
}

/** The secrets that were generated for it, shown once. */
export function Generated({ id }: { id: string | null }) {
  useEffect(
    () => () => {
      if (kept.peek()?.id === id) kept.value = null;
    },
    [id],
  );
  const { value } = kept;
  if (value === null || value.id !== id) return null;
  return (
    <div class="notice good" role="status">
      <p>This secret was generated for you. Copy it now. It is shown only once.</p>
      <pre tabIndex={0}>{value.text}</pre>
      <CopyButton text={value.text} label="Copy" />
    </div>
  );
}
