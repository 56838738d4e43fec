import document from '../../../docs/openapi.json';
import { INTERVAL, TIMEOUT, WARN_DAYS } from '../../../web/src/logic/endpoint-defaults';

describe('what the dashboard offers for a new endpoint', () => {
  it('is what the API takes and gives', () => {
    const { CreateEndpoint, Tls } = document.components.schemas;
    // A heartbeat takes null for both: a default that is no default of the type stands aside.
    const said = ({ default: usual, ...bounds }: typeof INTERVAL) => ({ ...bounds, 'x-default': usual });
    expect(CreateEndpoint.properties).toMatchObject({ interval: said(INTERVAL), timeout: said(TIMEOUT) });
    expect(Tls.properties.warn_days['x-default']).toBe(WARN_DAYS);
  });
});
