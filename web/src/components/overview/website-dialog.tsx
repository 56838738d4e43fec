import { useSignal } from '@preact/signals';
import { post, put, remove } from '../../api/client';
import type { Website } from '../../api/types';
import { count } from '../../logic/format';
import { into } from '../../state/load';
import { deleteLater } from '../../state/deletion';
import { editedWebsite } from '../../state/edited-website';
import { setWebsiteEnabled } from '../../state/endpoint-actions';
import { refreshSoon, refreshWebsites, websites } from '../../state/overview-store';
import { runAction, showToast } from '../../state/toast';
import { editStatusPage } from '../../state/website-page';
import { confirmed, Dialog } from '../dialog';
import { Text } from '../form/field';
import { Form } from '../form/form';
import { Button } from '../layout';

const close = () => {
  editedWebsite.value = null;
};

function changed(): void {
  refreshSoon();
  void refreshWebsites();
}

/**
 * Deletes a website. If it has endpoints, the user has to confirm. Otherwise, the user can undo the deletion. Returns
 * whether it was deleted.
 */
export async function deleteWebsite({ id, name, endpoint_count }: Website): Promise<boolean> {
  const path = `/api/v1/websites/${id}`;
  if (endpoint_count === 0) {
    deleteLater([{ path, name }], `${name} is deleted.`, changed);
    return true;
  }
  const text = `This permanently deletes “${name}”, with ${count(endpoint_count, 'endpoint')}, their alert rules, and their whole history.`;
  // Protects a website with many endpoints from accidental deletion.
  if (!(await confirmed('Delete this website', text, endpoint_count > 10 ? name : undefined))) return false;
  const isGone = await runAction(() => remove(path), `${name} is deleted.`);
  changed();
  return isGone;
}

/** The dialog for editing a website, rendered once on the overview. */
export function WebsiteDialog() {
  if (editedWebsite.value === null) return null;
  const website = websites.value?.find(({ id }) => id === editedWebsite.value);
  return (
    <Dialog title={website?.name ?? 'New website'} onClose={close}>
      {website ? <Existing website={website} /> : <New />}
    </Dialog>
  );
}

function New() {
  const [name, url] = [useSignal(''), useSignal('')];
  const save = async () => {
    const made = await post<Website>('/api/v1/websites', { name: name.value, url: url.value });
    showToast(`${made.name} is created. Add an endpoint to monitor it.`);
    close();
    changed();
  };
  return (
    <Form save={save} action="Create website">
      {({ problem }) => (
        <>
          <Text label="Name" error={problem('/name')} value={name.value} set={into(name)} />
          <Text
            label="URL"
            error={problem('/url')}
            placeholder="https://shop.example.com"
            value={url.value}
            set={into(url)}
          />
        </>
      )}
    </Form>
  );
}

function Existing({ website }: { website: Website }) {
  const { id, enabled } = website;
  const name = useSignal(website.name);
  const save = async (changes: Partial<Website>) => {
    await put(`/api/v1/websites/${id}`, changes);
    close();
    changed();
  };
  return (
    <>
      <p class="muted">
        <span class="mono">{website.url}</span> · {count(website.endpoint_count, 'endpoint')}
      </p>
      <Form save={() => save({ name: name.value })} action="Rename">
        {({ problem }) => <Text label="Name" error={problem('/name')} value={name.value} set={into(name)} />}
      </Form>
      <div class="actions">
        <a class="button" href={`#/new?website_id=${id}`} onClick={close}>
          Add an endpoint
        </a>
        <Button
          onClick={async () => {
            if (await editStatusPage(id)) close();
          }}
        >
          Status page
        </Button>
        <Button
          onClick={() => {
            close();
            void setWebsiteEnabled(id, website.name, !enabled);
          }}
        >
          {enabled ? 'Pause all its endpoints' : 'Resume'}
        </Button>
        <Button
          class="danger"
          onClick={() => {
            close();
            void deleteWebsite(website);
          }}
        >
          Delete
        </Button>
        <Button onClick={close}>Close</Button>
      </div>
    </>
  );
}
