import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ConfigValue, generatedIn } from '../../logic/config-schema';
import { CopyButton } from '../copy';

/** The generated secrets, and the ID of the resource they belong to. */
const kept = signal<{ id: string; text: string } | null>(null);

/**
 * Keeps generated secrets until the user leaves the page. Only the response that created the resource contains them.
 */
export function keepGenerated({ id, config }: { id: string; config: ConfigValue }, sent: ConfigValue): void {
  const secrets = generatedIn(config, sent);
  if (secrets.length > 0) kept.value = { id, text: secrets.join('\n') };
}

/** Shows the secrets that were generated for a resource, once. */
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
