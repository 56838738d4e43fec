import type { Endpoint } from '../api/types';
import { itemOf } from '../state/overview-store';
import { shownStatus } from '../logic/overview-order';
import { Shape, statusWord } from './status';

/**
 * Shows the endpoint's tags, which link to all endpoints that have them, and the endpoints it depends on or that depend
 * on it.
 */
export function EndpointLinks({ endpoint }: { endpoint: Endpoint }) {
  const { tags, depends_on: parents, dependents: children } = endpoint;
  if (tags.length + parents.length + children.length === 0) return null;
  return (
    <p class="tags">
      {tags.map((tag) => (
        <a class="tag" key={tag} href={`#/?tag=${encodeURIComponent(tag)}`}>
          {tag}
        </a>
      ))}
      {parents.length > 0 && <span class="muted small">Depends on</span>}
      {parents.map((id) => (
        <EndpointChip key={id} id={id} />
      ))}
      {children.length > 0 && <span class="muted small">Needed by</span>}
      {children.map((id) => (
        <EndpointChip key={id} id={id} />
      ))}
    </p>
  );
}

function EndpointChip({ id }: { id: string }) {
  const item = itemOf(id);
  return (
    <a class="tag" href={`#/endpoints/${id}`}>
      {item && (
        <span class={`shape ${shownStatus(item)}`} title={statusWord(shownStatus(item))}>
          <Shape status={shownStatus(item)} />
        </span>
      )}{' '}
      {item?.name ?? id}
    </a>
  );
}
