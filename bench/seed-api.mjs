/** Like `seed`, but through the API, because only the service's own process can open the embedded database. */
export async function seedThroughApi(api, { count, interval, timeout, urlOf, hook }) {
  const website = await api('POST', '/websites', { name: 'Bench', url: 'http://127.0.0.1/' });
  for (let n = 0; n < count; n++) {
    const endpoint = await api('POST', `/websites/${website.id}/endpoints`, {
      name: `site/${n}`,
      type: 'HTTP',
      url: urlOf(n),
      interval,
      timeout,
    });
    if (hook)
      await api('POST', '/alerts', {
        endpoint_id: endpoint.id,
        type: 'webhook',
        config: { url: hook },
        failure_threshold: 1,
        success_threshold: 1,
      });
  }
}
