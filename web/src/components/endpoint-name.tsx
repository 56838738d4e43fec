import { itemOf } from '../state/overview-store';

/** Name and website of an endpoint; its id until the overview is loaded. */
export function EndpointName({ id }: { id: string }) {
  const item = itemOf(id);
  return <>{item ? `${item.name} · ${item.website.name}` : id}</>;
}
