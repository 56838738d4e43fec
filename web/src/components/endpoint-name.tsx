import { itemOf } from '../state/overview-store';

/** An endpoint's name and website, or its ID until the overview is loaded. */
export function EndpointName({ id }: { id: string }) {
  const item = itemOf(id);
  return <>{item ? `${item.name} · ${item.website.name}` : id}</>;
}
