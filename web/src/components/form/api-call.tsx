import { home } from '../../api/home';
import { apiCall } from '../../logic/commands';
import { CopyButton } from '../copy';
import { Section } from '../layout';

/** The request that a form would send now. */
export interface Call {
  method: 'POST' | 'PUT';
  path: string;
  body: unknown;
  /** JSON pointers to the values that the form hides. */
  secrets?: readonly string[];
}

/** Shows a call as a curl command. Secrets are included only if the user explicitly copies them. */
export function Curl({ method, path, body, secrets = [] }: Call) {
  const command = apiCall(method, home(), path, body, secrets);
  return (
    <>
      <p class="muted small">
        Set UPTIME_API_KEY to a key with the write role
        {secrets.length > 0 && ', and the other variables to the secrets that are not shown here'}.
      </p>
      <pre tabIndex={0} role="region" aria-label="curl command">
        {command}
      </pre>
      <p class="actions">
        <CopyButton text={command} label="Copy curl" />
        {secrets.length > 0 && <CopyButton text={apiCall(method, home(), path, body)} label="Copy with secrets" />}
      </p>
    </>
  );
}

/** Shows the curl command for a call, under a heading next to a form. */
export const ApiCall = (call: Call) => (
  <Section title="As an API request">
    <Curl {...call} />
  </Section>
);
