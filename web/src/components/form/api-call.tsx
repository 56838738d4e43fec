import { apiCall } from '../../logic/commands';
import { CopyButton } from '../copy';
import { Section } from '../layout';

/** The curl command for what the form beside it would send now. */
export function ApiCall({ method, path, body }: { method: 'POST' | 'PUT'; path: string; body: unknown }) {
  const command = apiCall(method, location.origin, path, body);
  return (
    <Section title="The same by API">
      <p class="muted small">Set UPTIME_API_KEY to a key with the role write.</p>
      <pre tabIndex={0} role="region" aria-label="curl command">
        {command}
      </pre>
      <p class="actions">
        <CopyButton text={command} label="Copy curl" />
      </p>
    </Section>
  );
}
