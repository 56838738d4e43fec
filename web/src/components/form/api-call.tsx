import { apiCall } from '../../logic/commands';
import { CopyButton } from '../copy';
import { Section } from '../layout';

interface Props {
  method: 'POST' | 'PUT';
  path: string;
  body: unknown;
  /** JSON pointers of what the form hides. */
  secrets?: readonly string[];
}

/** The curl command for what the form beside it would send now. Secrets are in it only where one copies them on purpose. */
export function ApiCall({ method, path, body, secrets = [] }: Props) {
  const command = apiCall(method, location.origin, path, body, secrets);
  return (
    <Section title="The same by API">
      <p class="muted small">
        Set UPTIME_API_KEY to a key with the role write
        {secrets.length > 0 && ', and the other variables to the secrets that are not shown here'}.
      </p>
      <pre tabIndex={0} role="region" aria-label="curl command">
        {command}
      </pre>
      <p class="actions">
        <CopyButton text={command} label="Copy curl" />
        {secrets.length > 0 && (
          <CopyButton text={apiCall(method, location.origin, path, body)} label="Copy with secrets" />
        )}
      </p>
    </Section>
  );
}
