import { type Signal, signal } from '@preact/signals';
import type { Ref } from 'preact';
import { all, ApiProblem, get, post } from '../../api/client';
import type { IncidentDetails, IncidentStatus, PublicPage } from '../../api/types';
import { Check, Field } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { PublicPreview } from '../../components/incident/public-preview';
import { Switch } from '../../components/switch';
import { statusesOf, statusText, stillDownText } from '../../logic/incident';
import { coveredBy, publicStatus, shownOn } from '../../logic/incident-public';
import { useDraft } from '../../state/drafts';
import { useLoad } from '../../state/load';
import { items, tagsOf } from '../../state/overview-store';
import { route } from '../../state/router';
import { showToast } from '../../state/toast';

export interface UpdateDraft {
  text: Signal<string>;
  status: Signal<IncidentStatus | null>;
  isPublic: Signal<boolean>;
}

/** Fields for an update's text, status, and audience. New incidents use the same fields. */
export function UpdateFields(props: {
  draft: UpdateDraft;
  statuses: readonly IncidentStatus[];
  problem: (pointer: string) => string | undefined;
  label: string;
  placeholder: string;
  area?: Ref<HTMLTextAreaElement>;
}) {
  const { text, status, isPublic } = props.draft;
  return (
    <>
      <Field label={props.label} error={props.problem('/text')}>
        {(control) => (
          <textarea
            {...control}
            ref={props.area}
            rows={3}
            placeholder={props.placeholder}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      <div class="how">
        {props.statuses.length > 0 && (
          <Switch
            label="Status"
            value={status.value}
            set={(next) => (status.value = status.value === next ? null : next)}
            options={props.statuses.map((each) => [each, statusText(each)])}
          />
        )}
        <Check label="Customers see this" value={isPublic.value} set={(value) => (isPublic.value = value)} />
      </div>
    </>
  );
}

/** Posts an incident update, either for the team only or for customers as well. */
export function WriteUpdate(props: { of: IncidentDetails; reload: () => void; area: Ref<HTMLTextAreaElement> }) {
  const { of } = props;
  const path = `/api/v1/incidents/${of.id}`;
  const { text, status, isPublic, saved } = useDraft('an update that is not posted yet', () => ({
    text: signal(''),
    status: signal<IncidentStatus | null>(null),
    isPublic: signal(route.peek().query.has('public')),
  }));
  const save = async () => {
    const body = { text: text.value, public: isPublic.value, ...(status.value && { status: status.value }) };
    try {
      await post(`${path}/updates`, body);
    } catch (error) {
      if (!(error instanceof ApiProblem && error.code === 'conflict' && status.value === 'resolved')) throw error;
      const { endpoints, open_count } = await get<IncidentDetails>(path);
      if (open_count === 0) throw error;
      throw new Error(stillDownText(endpoints, open_count), { cause: error });
    }
    showToast(isPublic.value ? 'Customers can read it.' : 'The note is saved. Customers do not see it.');
    text.value = '';
    status.value = null;
    isPublic.value = false;
    saved();
    props.reload();
  };
  return (
    <section class="write" aria-label="Write an update">
      <Form save={save} action={isPublic.value ? 'Publish' : 'Post'} isOpen>
        {({ problem }) => (
          <>
            <UpdateFields
              draft={{ text, status, isPublic }}
              statuses={statusesOf(of.state)}
              problem={problem}
              label={of.state === 'open' ? 'What do you know?' : 'What happened?'}
              placeholder="The load balancer lost power; we are on the way."
              area={props.area}
            />
            {isPublic.value && <Preview of={of} text={text.value} status={status.value} />}
          </>
        )}
      </Form>
    </section>
  );
}

function Preview({ of, text, status }: { of: IncidentDetails; text: string; status: IncidentStatus | null }) {
  const pages = useLoad('status-pages', (abort) => all<PublicPage>('/api/v1/status-pages', abort));
  const affected = of.scope ? coveredBy(of.scope, items.value ?? [], tagsOf) : of.endpoints;
  if (!pages.data.value) return null;
  const shown = publicStatus(of, status);
  return (
    <PublicPreview
      incident={of}
      pages={shownOn(pages.data.value, affected)}
      status={shown}
      updates={[
        { at: new Date().toISOString(), status: shown, text: text === '' ? '…' : text },
        ...of.updates.filter((update) => update.public),
      ]}
    />
  );
}
