import { signal } from '@preact/signals';
import { all, post } from '../../api/client';
import type { Incident, IncidentStatus, PublicPage } from '../../api/types';
import { Beside } from '../../components/form/beside';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { PublicPreview } from '../../components/incident/public-preview';
import { Head } from '../../components/layout';
import { coveredBy, shownOn } from '../../logic/incident-public';
import { EVERYTHING, scopeOf } from '../../logic/maintenance-draft';
import { statusesOf } from '../../logic/incident';
import { useDraft } from '../../state/drafts';
import { into, useLoad } from '../../state/load';
import { items, tagsOf } from '../../state/overview-store';
import { go } from '../../state/router';
import { showToast } from '../../state/toast';
import { ScopeFields } from '../maintenance/scope-fields';
import { useWebsites } from '../maintenance/words';
import { UpdateFields } from './write-update';
import '../../styles/incident.css';

/** Creates an incident manually, for problems that no check can detect. */
export function NewIncidentPage() {
  const { title, scope, text, status, isPublic, saved } = useDraft('an incident that is not open yet', () => ({
    title: signal(''),
    scope: signal({ ...EVERYTHING, all: false }),
    text: signal(''),
    status: signal<IncidentStatus | null>(null),
    isPublic: signal(true),
  }));
  const websites = useWebsites();
  const pages = useLoad('status-pages', (abort) => all<PublicPage>('/api/v1/status-pages', abort));
  const body = {
    title: title.value,
    scope: scopeOf(scope.value),
    ...(text.value !== '' && { text: text.value, public: isPublic.value }),
    ...(status.value && { status: status.value }),
  };
  const save = async () => {
    const made = await post<Incident>('/api/v1/incidents', body);
    saved();
    showToast(`Incident #${made.number} is open.`);
    go(`/incidents/${made.id}`);
  };
  const said = status.value ?? 'investigating';
  return (
    <>
      <Head parent={['#/incidents', 'Incidents']} title="New incident">
        <p class="muted">For problems that no check detects. It does not affect uptime and does not notify anyone.</p>
      </Head>
      <div class="columns forms">
        <Form save={save} action="Open incident">
          {(form) => (
            <>
              <Text
                label="Title"
                placeholder="Deliveries are late"
                error={form.problem('/title')}
                value={title.value}
                set={into(title)}
              />
              <ScopeFields
                form={form}
                websites={websites.data.value}
                value={scope.value}
                set={into(scope)}
                label="Affects"
                tagsHint="Separated by spaces or commas. Affects everything that has one of these tags."
              />
              <UpdateFields
                draft={{ text, status, isPublic }}
                statuses={statusesOf('open').filter((each) => each !== 'resolved')}
                problem={form.problem}
                label="What do you know? (optional)"
                placeholder="A courier is on strike; parcels take two days longer."
              />
            </>
          )}
        </Form>
        <Beside
          stays
          preview={
            Object.keys(body.scope).length === 0 ? (
              <p class="muted">Choose what it affects to see which pages show it, and how.</p>
            ) : (
              pages.data.value &&
              isPublic.value && (
                <PublicPreview
                  incident={{ title: title.value || 'Without a title', severity: null }}
                  pages={shownOn(pages.data.value, coveredBy(body.scope, items.value ?? [], tagsOf))}
                  status={said}
                  updates={[{ at: new Date().toISOString(), status: said, text: text.value || '…' }]}
                />
              )
            )
          }
          call={{ method: 'POST', path: '/api/v1/incidents', body }}
        />
      </div>
    </>
  );
}
