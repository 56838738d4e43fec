import document from '../../../docs/openapi.json';
import { INTERVAL, TIMEOUT, WARN_DAYS } from '../../../web/src/logic/endpoint-defaults';

describe("the dashboard's defaults for a new endpoint", () => {
  it('equal the defaults of the API', () => {
    const { CreateEndpoint, Tls } = document.components.schemas;
    const told = ({ default: value, ...bounds }: typeof INTERVAL) => ({ ...bounds, 'x-default': value });
    expect(CreateEndpoint.properties).toMatchObject({ interval: told(INTERVAL), timeout: told(TIMEOUT) });
    expect(Tls.properties.warn_days['x-default']).toBe(WARN_DAYS);
  });
});
