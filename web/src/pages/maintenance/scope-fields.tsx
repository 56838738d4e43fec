import type { Website } from '../../api/types';
import { endpointOptions } from '../../components/alert/target-filter';
import { Many } from '../../components/form/chooser';
import { Choice, Text } from '../../components/form/field';
import type { FormState } from '../../components/form/form';
import type { ScopeDraft } from '../../logic/maintenance-draft';

interface Props {
  form: FormState;
  websites: readonly Website[] | undefined;
  value: ScopeDraft;
  set: (value: ScopeDraft) => void;
  /** The label for the selection. By default, it is about what a window covers. */
  label?: string;
  tagsHint?: string;
}

/** Selects all endpoints, or only some by website, name, or tag. */
export function ScopeFields({
  form,
  websites,
  value,
  set,
  label = 'Covers',
  tagsHint = 'Separated by spaces or commas. Covers everything that has one of these tags, now or later.',
}: Props) {
  const change = (changes: Partial<ScopeDraft>) => set({ ...value, ...changes });
  const [ofWebsites, ofEndpoints, ofTags] = ['website_ids', 'endpoint_ids', 'tags'].map((key) =>
    form.problem(`/scope/${key}`),
  );
  // If nothing is selected, the service reports a problem with the whole scope.
  const ofAll = form.problem('/scope');
  const isInside = [ofWebsites, ofEndpoints, ofTags].some((problem) => problem !== undefined);
  return (
    <>
      <Choice
        label={label}
        error={isInside && !value.all ? undefined : ofAll}
        value={value.all ? 'all' : 'some'}
        set={(text) => change({ all: text === 'all' })}
        options={[
          ['all', 'Everything'],
          ['some', 'Chosen websites, endpoints, and tags'],
        ]}
      />
      {!value.all && (
        <fieldset class="form part">
          <legend>{label === 'Covers' ? 'Selection' : 'Chosen'}</legend>
          <Many
            label="Websites"
            placeholder="Add a website with all its endpoints"
            error={ofWebsites}
            values={value.website_ids}
            set={(website_ids) => change({ website_ids })}
            options={(websites ?? []).map(({ id, name }) => [id, name] as const)}
          />
          <Many
            label="Endpoints"
            placeholder="Add an endpoint"
            error={ofEndpoints}
            values={value.endpoint_ids}
            set={(endpoint_ids) => change({ endpoint_ids })}
            options={endpointOptions()}
          />
          <Text
            label="Tags"
            hint={tagsHint}
            placeholder="prod, team:web"
            error={ofTags}
            value={value.tags}
            set={(tags) => change({ tags })}
          />
        </fieldset>
      )}
    </>
  );
}
