import { useSignal } from '@preact/signals';
import { sendDocument, text } from '../../api/client';
import type { ConfigurationPlan, Conversion } from '../../api/types';
import { confirmed } from '../../components/dialog';
import { Check, Choice, Field } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button, Section, Table } from '../../components/layout';
import { appliedText, fieldLines, isEmpty, placedMessage, signOf, summaryText } from '../../logic/configuration-text';
import { type Source, sourceOf } from '../../logic/document-source';
import { count, words } from '../../logic/format';
import { may } from '../../state/session';
import { errorMessage, runAction, showToast } from '../../state/toast';

const PATH = '/api/v1/configuration';
const OURS = '';
const SOURCES = [
  [OURS, 'This service'],
  ['uptime-kuma', 'Uptime Kuma'],
  ['gatus', 'Gatus'],
  ['healthchecks', 'healthchecks'],
  ['prometheus-blackbox', 'Prometheus blackbox exporter'],
  ['uptimerobot', 'UptimeRobot'],
] as const satisfies readonly (readonly [Source, string])[];
/** The number of changes to show before the user asks for more. */
const SHOWN = 200;

/** Exports the organization's configuration, and imports a file after showing its plan. */
export function Configuration() {
  return (
    <>
      <Export />
      {may.write() && <Import />}
    </>
  );
}

function Export() {
  const save = () =>
    runAction(async () => {
      const blob = new Blob([await text(PATH, 'application/yaml')], { type: 'application/yaml' });
      const link = Object.assign(document.createElement('a'), {
        href: URL.createObjectURL(blob),
        download: 'uptime.yaml',
      });
      link.click();
      URL.revokeObjectURL(link.href);
    });
  return (
    <Section title="Export">
      <p>Everything that the organization monitors, in a file for version control. The file contains no credentials.</p>
      <div class="actions">
        <Button onClick={save}>Download uptime.yaml</Button>
      </div>
    </Section>
  );
}

function Import() {
  const from = useSignal<string>(OURS);
  const source = useSignal('');
  /** The configuration document that the service created from another program's file. */
  const converted = useSignal<string | null>(null);
  const prune = useSignal(false);
  const report = useSignal<Conversion['report'] | null>(null);
  const plan = useSignal<ConfigurationPlan | null>(null);

  const forget = () => {
    plan.value = null;
    report.value = null;
    converted.value = null;
  };
  const edit = (value: string) => {
    source.value = value;
    from.value = sourceOf(value) ?? from.value;
    forget();
  };
  const open = (file: File | undefined) => file && void runAction(async () => edit(await file.text()));
  const document = () => converted.value ?? source.value;
  const query = () => (prune.value ? '?prune=true' : '');
  const read = async () => {
    plan.value = null;
    if (from.value !== OURS && converted.value === null) {
      const made = await sendDocument<Conversion>('POST', `${PATH}/convert?from=${from.value}`, source.value);
      report.value = made.report;
      converted.value = JSON.stringify(made.document, null, 2);
    }
    plan.value = await sendDocument<ConfigurationPlan>('POST', `${PATH}/plan${query()}`, document());
  };
  const apply = async () => {
    const seen = plan.peek();
    if (!seen) return;
    const gone = seen.summary.delete;
    if (
      gone > 0 &&
      !(await confirmed('Apply this plan', `${count(gone, 'resource')} will be deleted, with all history.`))
    )
      return;
    const done = await sendDocument<ConfigurationPlan>('PUT', `${PATH}${query()}`, document(), seen);
    forget();
    showToast(appliedText(done));
  };
  return (
    <Section title="Import">
      <Form save={read} action="Show the plan" explain={placed}>
        {() => (
          <>
            <Field label="File" hint="The file is not changed. Its content is shown below before anything is stored.">
              {(control) => (
                <input {...control} type="file" onChange={(event) => open(event.currentTarget.files?.[0])} />
              )}
            </Field>
            <Choice
              label="Format"
              value={from.value}
              set={(value) => {
                from.value = value;
                forget();
              }}
              options={SOURCES}
            />
            <Field
              label="Document"
              hint="Choose a file above, paste its text, or drop the file here, as YAML or JSON. Put the values of secrets in its `secrets`."
            >
              {(control) => (
                <textarea
                  {...control}
                  rows={12}
                  spellcheck={false}
                  class="mono"
                  value={source.value}
                  onInput={(event) => edit(event.currentTarget.value)}
                  onDragOver={(event) => event.preventDefault()}
                  onDrop={(event) => {
                    const file = event.dataTransfer?.files[0];
                    if (!file) return;
                    event.preventDefault();
                    open(file);
                  }}
                />
              )}
            </Field>
            <Check
              label="Delete resources that an earlier document of the same owner declared and this one does not contain"
              value={prune.value}
              set={(value) => {
                prune.value = value;
                plan.value = null;
              }}
            />
          </>
        )}
      </Form>
      {report.value && (
        <Section title="Conversion">
          <Report of={report.value} />
          <p class="actions below">
            <Button
              onClick={() => {
                from.value = OURS;
                source.value = document();
                forget();
              }}
            >
              Edit the converted document
            </Button>
            <span class="muted small">It replaces the file above and shows all secrets in plain text.</span>
          </p>
        </Section>
      )}
      {plan.value && (
        <Section title="Plan">
          <Plan of={plan.value} apply={() => runAction(apply)} />
        </Section>
      )}
    </Section>
  );
}

/** The position in the document is more useful than a field name. */
const placed = (error: unknown): string => placedMessage(error) ?? errorMessage(error);

function Report({ of }: { of: Conversion['report'] }) {
  const lost = of.filter(({ result }) => result !== 'mapped');
  return (
    <>
      <p role="status">
        {of.length - lost.length} of {of.length} imported unchanged.
      </p>
      {lost.length > 0 && (
        <Table
          label="Differences"
          head={['Name', 'Result', 'Why', '~Where']}
          rows={lost.slice(0, SHOWN).map(({ name, result, why, at }) => [name, result, why, <code>{at}</code>])}
        />
      )}
      {lost.length > SHOWN && <p class="muted">And {lost.length - SHOWN} more.</p>}
    </>
  );
}

function Plan({ of, apply }: { of: ConfigurationPlan; apply: () => unknown }) {
  const { changes, notes } = of;
  return (
    <>
      <p role="status">{summaryText(of)}</p>
      {notes.length > 0 && (
        <div class="notice warn">
          {notes.slice(0, SHOWN).map(({ key, message }, at) => (
            <p key={at}>
              {key !== null && <code>{key}</code>} {message}
            </p>
          ))}
        </div>
      )}
      {changes.length > 0 && (
        <Table
          label="Plan"
          head={['What', 'Key', 'Settings']}
          rows={changes
            .slice(0, SHOWN)
            .map((change) => [
              `${signOf(change.action)} ${words(change.resource)}`,
              <code>{change.key}</code>,
              <Settings of={change} />,
            ])}
        />
      )}
      {changes.length > SHOWN && <p class="muted">And {changes.length - SHOWN} more.</p>}
      {!isEmpty(of) && (
        <div class="actions section">
          <Button class="primary" onClick={apply}>
            Apply
          </Button>
        </div>
      )}
    </>
  );
}

function Settings({ of }: { of: ConfigurationPlan['changes'][number] }) {
  const lines = fieldLines(of);
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{count(lines.length, 'setting')}</summary>
      <dl class="facts">
        {lines.flatMap(({ name, from, to }) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}=`} class="mono">
            {from !== null && <del>{from}</del>} {to !== null && <ins>{to}</ins>}
          </dd>,
        ])}
      </dl>
    </details>
  );
}
