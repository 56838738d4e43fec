import document from '../../../docs/openapi.json';
import { INTERVAL, TIMEOUT, WARN_DAYS } from '../../../web/src/logic/endpoint-defaults';

describe('what the dashboard offers for a new endpoint', () => {
  it('is what the API takes and gives', () => {
    const { CreateEndpoint, Tls } = document.components.schemas;
    const told = ({ default: value, ...bounds }: typeof INTERVAL) => ({ ...bounds, 'x-default': value });
    expect(CreateEndpoint.properties).toMatchObject({ interval: told(INTERVAL), timeout: told(TIMEOUT) });
    expect(Tls.properties.warn_days['x-default']).toBe(WARN_DAYS);
  });
});
