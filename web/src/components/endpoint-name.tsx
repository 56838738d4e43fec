import { itemOf } from '../state/overview-store';

/** The name and website of an endpoint, or its ID until the overview is loaded. */
export function EndpointName({ id }: { id: string }) {
  const item = itemOf(id);
  return <>{item ? `${item.name} · ${item.website.name}` : id}</>;
}
