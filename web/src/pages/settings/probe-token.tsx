import type { ComponentChildren } from 'preact';
import { home } from '../../api/home';
import { CopyButton } from '../../components/copy';
import { TabPanels } from '../../components/form/tab-panels';
import { isPlain, probeLines } from '../../logic/probe-lines';
import { ShownOnce } from './shown-once';

/** Shows a token once, with commands that start a probe. `children` names the probe. */
export const ProbeToken = ({ token, children }: { token: string; children: ComponentChildren }) => (
  <div class="new-token">
    <ShownOnce text={token} copy="Copy token">
      {children}
    </ShownOnce>
    <p class="muted small">
      Run one of these where the probe should check from. The probe must be able to reach <code>{home()}</code>. Nothing
      needs to reach the probe.
      {isPlain(home()) &&
        ' This URL is not encrypted, so anyone on the network path can read the token. PROBE_INSECURE=on allows it.'}
    </p>
    <div class="beside lines">
      <TabPanels
        label="Where the probe runs"
        tabs={probeLines(home(), token).map(
          ({ title, text }) =>
            [
              title,
              <>
                <pre tabIndex={0} role="region" aria-label={`Lines for ${title}`}>
                  {text}
                </pre>
                <p class="actions">
                  <CopyButton text={text} label="Copy these lines" />
                </p>
              </>,
            ] as const,
        )}
      />
    </div>
  </div>
);
