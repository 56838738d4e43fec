// Generated from docs/openapi.json by "npm run openapi"; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        FieldProblem: {
            /**
             * @description RFC 6901 pointer into the body, or `?name` for a query parameter.
             * @example /interval
             */
            pointer: string;
            /**
             * @example out_of_range
             * @enum {string}
             */
            code: "required" | "wrong_type" | "out_of_range" | "too_long" | "invalid_format" | "invalid_characters" | "unsupported_scheme" | "unsupported_type" | "credentials_in_url" | "forbidden_header" | "invalid_config" | "unknown_field" | "immutable" | "read_only" | "not_found" | "cycle" | "in_past" | "never_due" | "overlaps_itself" | "unknown_zone" | "invalid_syntax" | "duplicate_key" | "too_deep" | "too_large" | "missing_secret" | "other_owner" | "taken" | "over_quota";
            /** @example interval must not be greater than 86400 */
            message: string;
            /**
             * @description Only of routes that take a document: the line in it, from 1; `null` where there is none.
             * @example 12
             */
            line?: number | null;
        };
        Problem: {
            /**
             * @description Stable identifier of the kind of problem.
             * @example urn:uptime:problem:validation_failed
             */
            type: string;
            /** @example Some fields are not valid */
            title: string;
            /** @example 400 */
            status: number;
            /** @example Correct the fields listed in "errors" and send the request again. */
            detail: string;
            /**
             * @description URN of this occurrence: the request id.
             * @example urn:uptime:request:018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11
             */
            instance: string;
            /**
             * @description Switch on this; it is stable.
             * @example validation_failed
             * @enum {string}
             */
            code: "malformed_json" | "malformed_document" | "invalid_encoding" | "validation_failed" | "invalid_query" | "invalid_cursor" | "invalid_idempotency_key" | "idempotency_key_not_supported" | "invalid_if_match" | "if_match_not_supported" | "bad_request" | "unauthenticated" | "insufficient_role" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "idempotency_key_in_use" | "quota_exceeded" | "precondition_failed" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "target_not_allowed" | "rate_limited" | "headers_too_large" | "internal_error" | "storage_unavailable" | "temporarily_unavailable" | "shutting_down";
            /** @example 018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11 */
            request_id: string;
            errors?: components["schemas"]["FieldProblem"][];
            /** @description With `quota_exceeded`: the limit that is reached. */
            quota?: components["schemas"]["QuotaProblem"];
        };
        Website: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
            /** @example https://shop.example.com/ */
            url: string;
            /** @example true */
            enabled: boolean;
            /**
             * @description In order.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags: string[];
            /**
             * @description A name of yours for it in configuration files, unique among the websites of the organization; null for none.
             * @example shop
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description `down` if any enabled endpoint is down, else `up` if any is up, else `unknown`; `paused` when disabled.
             * @enum {string}
             */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * @description Number of endpoints.
             * @example 3
             */
            endpoint_count: number;
            /**
             * Format: date-time
             * @description Newest check of its endpoints; null before the first. With more than 20 endpoints: of the 20 that are checked most often.
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        QuotaProblem: {
            /**
             * @description Which limit; see `GET /api/v1/organization`.
             * @example endpoints
             */
            name: string;
            /** @example 10000 */
            limit: number;
            /**
             * @description What the organization had before the request.
             * @example 10000
             */
            used: number;
        };
        Header: {
            /** @example Accept */
            key: string;
            /**
             * @description Any value may be a credential: encrypted at rest and masked for read keys, but for headers that never carry one (`Accept`, `User-Agent`, `Content-Type`, `Cache-Control` …). A mask sent back keeps the stored value.
             * @example text/html
             */
            value: string;
        };
        Assertion: {
            /** @enum {string} */
            source: "status_code" | "response_time" | "header" | "body" | "json" | "certificate_days" | "dns_record" | "banner";
            /**
             * @description `header`: its name. `json`: a JSONPath (RFC 9535).
             * @example $.status
             */
            property?: string;
            /** @enum {string} */
            comparison: "equals" | "not_equals" | "contains" | "not_contains" | "less_than" | "greater_than" | "in" | "exists";
            /**
             * @description What to compare with, as text. `status_code` takes lists and ranges. Of a header that may be a credential it is masked for read keys; a mask sent back keeps it.
             * @example 200-299,301
             */
            target: string;
            /**
             * @description `critical`: the target is down unless it holds. `warning`: when only this fails, the target is up and `degraded`, and the check’s `warning` says why. Always there in responses. Default: `"critical"`.
             * @enum {string}
             */
            severity?: "critical" | "warning";
        };
        Tls: {
            /** @description `false`: whatever is wrong with the certificate does not make the check fail; its end is still reported. Refused for an endpoint with headers that may be a credential, a body, or a URL with a parameter such as `token`: anybody in between could collect them. Default: `true`. */
            verify?: boolean;
            /**
             * @description At most 10 certificates in PEM, of your authority or of the server itself: they alone are trusted, in place of those of the system. Not used while `verify` is `false`.
             * @example null
             */
            ca?: string | null;
            /**
             * @description A host name, in place of that of the URL: the server is asked for it (SNI), and its certificate must carry it. The `Host` header stays that of the URL.
             * @example null
             */
            server_name?: string | null;
        };
        CreateEndpoint: {
            /**
             * @description Case-insensitive; kept and ignored for other types than HTTP and HTTPS. Default: `"GET"`.
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Seconds from check to check. Default: `60`. */
            interval?: number;
            /** @description Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped. Default: `10`. */
            timeout?: number;
            /** @description Default: `true`. */
            enabled?: boolean;
            /** @description Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused. All values together have at most 16 KiB, headers, body and assertions together 32 KiB. */
            headers?: components["schemas"]["Header"][];
            /**
             * @description Request body, sent as it is: at most 32 KiB together with headers and assertions. Masked for read keys; a mask sent back keeps it.
             * @example null
             */
            body?: string | null;
            /** @description Follow up to 5 redirects; each hop is judged by the egress policy. Default: `true`. */
            follow_redirects?: boolean;
            /** @description All must hold. A critical `status_code` assertion replaces the rule 200–299; beside a warning it stays in force. */
            assertions?: components["schemas"]["Assertion"][];
            /** @description How checks of HTTP and HTTPS judge the certificate of the URL’s own host; another host that a redirect leads to is judged as ever. Replaced as a whole: what is absent becomes its default, and all of it with `null`. Kept and ignored for other types. */
            tls?: components["schemas"]["Tls"] | null;
            /**
             * @description Labels of yours, a set, kept in lower case and in order. Its website’s apply as well and are not repeated here. Default: `[]`.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags?: string[];
            /**
             * @description Ids of endpoints of your organization without which this one cannot be up, a set. While one of them is down by its newest check, the alerts of this one do not trigger. Cycles are refused. Default: `[]`.
             * @example []
             */
            depends_on?: string[];
            /** @example Checkout */
            name: string;
            /**
             * @description What is checked, in a form of its type. Changing it starts a new streak. Accepted forms: `HTTP` http://host[:port]/path or https://host[:port]/path · `HTTPS` https://host[:port]/path · `TCP` tcp://host:port or host:port · `DNS` dns:[//resolver[:port]/]name[?type=A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR] or a bare name · `ICMP` icmp://host or host · `SSH` ssh://host[:port] or host[:port], default port 22.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /**
             * @description Exact upper case. Changing it starts a new streak.
             * @example HTTPS
             * @enum {string}
             */
            type: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
            /**
             * @description Accepted only with the id of the website it is made for.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            website_id?: string;
            /**
             * @description A name of yours for it in configuration files, unique among the endpoints of the website; null for none.
             * @example null
             */
            key?: string | null;
        };
        CreateWebsite: {
            /** @example Example shop */
            name: string;
            /**
             * @description http or https, without credentials. Cannot be changed later.
             * @example https://shop.example.com
             */
            url: string;
            /** @description false pauses every endpoint of the website. Default: `true`. */
            enabled?: boolean;
            /**
             * @description Labels of yours, a set, kept in lower case and in order. Each endpoint of the website has them as well: maintenance windows and filters may name them. Default: `[]`.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags?: string[];
            /**
             * @description A name of yours for it in configuration files, unique among the websites of the organization; null for none.
             * @example null
             */
            key?: string | null;
            /** @description Its first endpoints, with the fields of “Create an endpoint”. The website is made with all of them or not at all. */
            endpoints?: components["schemas"]["CreateEndpoint"][];
        };
        EndpointTls: {
            /** @example true */
            verify: boolean;
            /**
             * @description PEM. Shown to every role.
             * @example null
             */
            ca: string | null;
            /**
             * @description In lower case.
             * @example null
             */
            server_name: string | null;
        };
        EndpointMaintenance: {
            /**
             * @description Of several the one that ends last.
             * @example mw_01jd3k6q7be5y9x4v2m8n0r1st
             */
            id: string;
            /** @example Database upgrade */
            name: string;
            /**
             * Format: date-time
             * @description When the last of those that overlap or follow at once ends, as far as 48 hours ahead.
             * @example 2026-11-22T03:00:00.000Z
             */
            until: string;
            /**
             * @description Alerts do not trigger.
             * @example true
             */
            mute: boolean;
            /**
             * @description Checks are marked as planned and do not count for uptime.
             * @example true
             */
            exclude_from_uptime: boolean;
        };
        EndpointAcknowledgement: {
            /**
             * @description An API key or a session.
             * @example on-call laptop
             */
            by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:04:00.000Z
             */
            at: string;
            /** @example The disk is full; I am on it. */
            note: string;
            /**
             * Format: date-time
             * @description When it ends; null: with the failure.
             * @example null
             */
            until: string | null;
        };
        Endpoint: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            website_id: string;
            /** @example Checkout */
            name: string;
            /**
             * @description Read keys see the query of an http(s) URL as `?********`; sent back like that, it keeps its value.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /**
             * @example HTTPS
             * @enum {string}
             */
            type: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
            /**
             * @example GET
             * @enum {string}
             */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * @description Seconds.
             * @example 60
             */
            interval: number;
            /**
             * @description Seconds.
             * @example 10
             */
            timeout: number;
            /** @example true */
            enabled: boolean;
            /**
             * @description The website’s name.
             * @example Example shop
             */
            group: string;
            headers: components["schemas"]["Header"][];
            /**
             * @description Masked for read keys.
             * @example null
             */
            body: string | null;
            /** @example true */
            follow_redirects: boolean;
            assertions: components["schemas"]["Assertion"][];
            /** @description How the certificate of the URL’s host is judged. */
            tls: components["schemas"]["EndpointTls"];
            /**
             * @description Its own, in order.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags: string[];
            /**
             * @description A name of yours for it in configuration files, unique among the endpoints of the website; null for none.
             * @example checkout
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Endpoints without which it cannot be up.
             * @example []
             */
            depends_on: string[];
            /**
             * @description Endpoints that depend on it: their alerts stay quiet while it is down. The first 100.
             * @example []
             */
            dependents: string[];
            /**
             * @description `unknown`: never checked, or we could not tell.
             * @enum {string}
             */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * @description Up, but an assertion of severity `warning` fails.
             * @example false
             */
            degraded: boolean;
            /**
             * @description What is in force now.
             * @example null
             */
            maintenance: components["schemas"]["EndpointMaintenance"] | null;
            /** @example null */
            acknowledgement: components["schemas"]["EndpointAcknowledgement"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreatedWebsite: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
            /** @example https://shop.example.com/ */
            url: string;
            /** @example true */
            enabled: boolean;
            /**
             * @description In order.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags: string[];
            /**
             * @description A name of yours for it in configuration files, unique among the websites of the organization; null for none.
             * @example shop
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description `down` if any enabled endpoint is down, else `up` if any is up, else `unknown`; `paused` when disabled.
             * @enum {string}
             */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * @description Number of endpoints.
             * @example 3
             */
            endpoint_count: number;
            /**
             * Format: date-time
             * @description Newest check of its endpoints; null before the first. With more than 20 endpoints: of the 20 that are checked most often.
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
            /** @description The new endpoints in the order in which they were sent; absent when none were. */
            endpoints?: components["schemas"]["Endpoint"][];
        };
        UpdateWebsite: {
            /** @example Example shop */
            name?: string;
            /**
             * @description Immutable: accepted only with its present value.
             * @example https://shop.example.com/
             */
            url?: string;
            /**
             * @description false pauses every endpoint of the website.
             * @example false
             */
            enabled?: boolean;
            /**
             * @description Labels of yours, a set, kept in lower case and in order. Each endpoint of the website has them as well: maintenance windows and filters may name them.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags?: string[];
            /**
             * @description A name of yours for it in configuration files, unique among the websites of the organization; null for none.
             * @example null
             */
            key?: string | null;
        };
        UpdateEndpoint: {
            /**
             * @description Case-insensitive; kept and ignored for other types than HTTP and HTTPS.
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /** @description Seconds from check to check. */
            interval?: number;
            /** @description Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped. */
            timeout?: number;
            enabled?: boolean;
            /** @description Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused. All values together have at most 16 KiB, headers, body and assertions together 32 KiB. */
            headers?: components["schemas"]["Header"][];
            /**
             * @description Request body, sent as it is: at most 32 KiB together with headers and assertions. Masked for read keys; a mask sent back keeps it.
             * @example null
             */
            body?: string | null;
            /** @description Follow up to 5 redirects; each hop is judged by the egress policy. */
            follow_redirects?: boolean;
            /** @description All must hold. A critical `status_code` assertion replaces the rule 200–299; beside a warning it stays in force. */
            assertions?: components["schemas"]["Assertion"][];
            /** @description How checks of HTTP and HTTPS judge the certificate of the URL’s own host; another host that a redirect leads to is judged as ever. Replaced as a whole: what is absent becomes its default, and all of it with `null`. Kept and ignored for other types. */
            tls?: components["schemas"]["Tls"] | null;
            /**
             * @description Labels of yours, a set, kept in lower case and in order. Its website’s apply as well and are not repeated here.
             * @example [
             *       "production",
             *       "team:web"
             *     ]
             */
            tags?: string[];
            /**
             * @description Ids of endpoints of your organization without which this one cannot be up, a set. While one of them is down by its newest check, the alerts of this one do not trigger. Cycles are refused.
             * @example []
             */
            depends_on?: string[];
            /** @example Checkout */
            name?: string;
            /**
             * @description What is checked, in a form of its type. Changing it starts a new streak. Accepted forms: `HTTP` http://host[:port]/path or https://host[:port]/path · `HTTPS` https://host[:port]/path · `TCP` tcp://host:port or host:port · `DNS` dns:[//resolver[:port]/]name[?type=A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR] or a bare name · `ICMP` icmp://host or host · `SSH` ssh://host[:port] or host[:port], default port 22.
             * @example https://shop.example.com/checkout
             */
            url?: string;
            /**
             * @description Exact upper case. Changing it starts a new streak.
             * @example HTTPS
             * @enum {string}
             */
            type?: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
            /**
             * @description Another website of the organization: the endpoint moves there with its state, history and alerts. Past events keep the website of their time. In a website that is disabled it is paused.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            website_id?: string;
            /**
             * @description A name of yours for it in configuration files, unique among the endpoints of the website; null for none.
             * @example null
             */
            key?: string | null;
        };
        CheckPhases: {
            /**
             * @description Milliseconds for name resolution; null when not reached or not part of this type.
             * @example 4.217
             */
            dns_ms: number | null;
            /**
             * @description Milliseconds to connect; null when not reached or not part of this type.
             * @example 4.217
             */
            connect_ms: number | null;
            /**
             * @description Milliseconds for the TLS handshake; null when not reached or not part of this type.
             * @example 4.217
             */
            tls_ms: number | null;
            /**
             * @description Milliseconds from the request to the first byte of the answer; null when not reached or not part of this type.
             * @example 4.217
             */
            first_byte_ms: number | null;
            /**
             * @description Milliseconds to read the rest of the answer; null when not reached or not part of this type.
             * @example 4.217
             */
            transfer_ms: number | null;
        };
        Certificate: {
            /**
             * Format: date-time
             * @example 2027-02-01T00:00:00.000Z
             */
            expires_at: string;
            /** @example C=US, O=Let's Encrypt, CN=R11 */
            issuer: string;
            /** @example CN=shop.example.com */
            subject: string;
            /**
             * @description Subject alternative names, at most 20.
             * @example [
             *       "shop.example.com"
             *     ]
             */
            names: string[];
        };
        CheckError: {
            /**
             * @description Stable; clients switch on it.
             * @example connection_refused
             * @enum {string}
             */
            code: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
            /**
             * @description Where in its life the check ended.
             * @example connect
             * @enum {string}
             */
            phase: "dns" | "connect" | "tls" | "first_byte" | "transfer" | "assertion" | "internal";
            /**
             * @description One plain sentence.
             * @example The connection to 192.0.2.1 port 443 was refused.
             */
            message: string;
        };
        Trial: {
            /**
             * @description `unknown`: the fault is ours or we were not allowed to look; kept out of uptime and streaks.
             * @enum {string}
             */
            outcome: "up" | "down" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Sum of the phases, milliseconds.
             * @example 83.412
             */
            duration_ms: number;
            phases: components["schemas"]["CheckPhases"];
            /**
             * @description Final HTTP status.
             * @example 200
             */
            status_code: number | null;
            /**
             * @description The address connected to.
             * @example 192.0.2.1
             */
            address: string | null;
            /** @description Also when its verification failed. */
            certificate: components["schemas"]["Certificate"] | null;
            /**
             * @description DNS: the answers. SSH: identification and host key fingerprint.
             * @example null
             */
            records: string[] | null;
            /** @description URLs that were redirected to, without credentials and query. */
            redirects: string[];
            /** @description null exactly when the outcome is `up`. */
            error: components["schemas"]["CheckError"] | null;
            /**
             * @description Made in maintenance that is excluded from uptime: counted as planned, whatever it found.
             * @example false
             */
            planned: boolean;
            /**
             * @description Up, but an assertion of severity `warning` failed.
             * @example false
             */
            degraded: boolean;
            /** @description The warning; null exactly when not degraded. */
            warning: components["schemas"]["CheckError"] | null;
            /**
             * @description 2 when a failure was repeated before it was recorded.
             * @example 1
             * @enum {number}
             */
            attempts: 1 | 2;
            /** @description What the first of two attempts failed with. */
            first_error: components["schemas"]["CheckError"] | null;
        };
        DeliverySummary: {
            /** @example dl_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed" | "superseded";
            /**
             * Format: date-time
             * @description Last attempt; before the first, when it was enqueued.
             * @example 2026-11-20T10:00:00.120Z
             */
            at: string;
            /**
             * @description What went wrong at the last attempt, without URLs and secrets.
             * @example null
             */
            error: string | null;
        };
        /** @description Distinguished by `type`. */
        Alert: components["schemas"]["EmailAlert"] | components["schemas"]["WebhookAlert"] | components["schemas"]["SlackAlert"] | components["schemas"]["DiscordAlert"] | components["schemas"]["TeamsAlert"] | components["schemas"]["TelegramAlert"] | components["schemas"]["PagerdutyAlert"] | components["schemas"]["OpsgenieAlert"] | components["schemas"]["TwilioAlert"];
        CreateAlert: components["schemas"]["CreateAlertWithConfig"] | components["schemas"]["CreateContactAlert"];
        UpdateAlert: {
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition?: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold?: number;
            /** @description false: a resolve is recorded, but not sent. */
            send_on_resolved?: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after?: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every?: number | null;
            /** @description Free text, part of every message. */
            description?: string;
            /** @description false: never triggers; an open incident is resolved. */
            enabled?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description Immutable: accepted only with its present value.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id?: string;
            /**
             * @description The contact that it notifies through. Another one moves the alert; null detaches it and keeps the present config as its own, `type` and `config` detach it as well.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id?: string | null;
            /**
             * @description Channel type: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add. Changes only together with `config`.
             * @enum {string}
             */
            type?: "email" | "webhook" | "slack" | "discord" | "teams" | "telegram" | "pagerduty" | "opsgenie" | "twilio";
            config?: components["schemas"]["EmailConfig"] | components["schemas"]["WebhookConfig"] | components["schemas"]["SlackConfig"] | components["schemas"]["DiscordConfig"] | components["schemas"]["TeamsConfig"] | components["schemas"]["TelegramConfig"] | components["schemas"]["PagerDutyConfig"] | components["schemas"]["OpsgenieConfig"] | components["schemas"]["TwilioConfig"];
        };
        DeliveryTest: {
            /** @enum {string} */
            state: "delivered" | "failed";
            /**
             * @description Status of the answer; null when there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description What went wrong, without URLs and secrets; of a delivered one what should be corrected.
             * @example null
             */
            error: string | null;
        };
        Delivery: {
            /** @example dl_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description null for `contact_failing`, which no alert sends.
             * @example al_01jd3k6q7be5y9x4v2m8n0r1st
             */
            alert_id: string | null;
            /**
             * @description Of `contact_failing`: the contact that it is about; null for everything else.
             * @example null
             */
            contact_id: string | null;
            /**
             * @description The event it tells, of a reminder that of the trigger; null for a test message and `contact_failing`.
             * @example ev_01jd3k6q7be5y9x4v2m8n0r1st
             */
            event_id: string | null;
            /**
             * @description The endpoint it is about.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string | null;
            /**
             * @description Its name at that time.
             * @example Checkout API
             */
            endpoint_name: string | null;
            /**
             * @description What it tells: a trigger, a resolve, to pagers that somebody has the incident in hand, to all others a reminder that it is still open, a test, or that messages to another contact have been failing for a week.
             * @enum {string}
             */
            kind: "triggered" | "resolved" | "acknowledged" | "reminder" | "test" | "contact_failing";
            /**
             * @description Of a reminder: which one of its incident it is, from 1; null for everything else.
             * @example null
             */
            ordinal: number | null;
            /**
             * @description Channel type it goes through.
             * @example slack
             */
            channel_type: string;
            /**
             * @description `pending` until it is told or given up; `delivered`: the provider took it; `failed`: given up, and revived only by a redelivery or another config of the alert; `superseded`: not told, because telling it had become wrong.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "superseded";
            /**
             * @description How or why it reached its state. `digest`, `combined`, `flapping`: told together with others (`flapping` while pending: the last word waits until the alert is stable). `rejected`: refused by the provider. `expired`: too old after failed attempts. `behind_failed`: a resolve whose trigger was refused. `resolved_before_sent`, `trigger_not_told`, `collapsed`: overtaken by what happened since. `not_supported`: an acknowledgement for a channel that cannot be told, or a reminder or a failing contact for a pager.
             * @example null
             * @enum {string|null}
             */
            detail: "digest" | "combined" | "flapping" | "redelivered" | "rejected" | "expired" | "behind_failed" | "interrupted" | "not_retried" | "unsendable" | "resolved_before_sent" | "trigger_not_told" | "collapsed" | "not_supported" | "disabled" | "deleted" | "redeliver" | null;
            /**
             * @description Attempts so far.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.120Z
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Earliest next attempt; null when there will be none.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description Status of the last answer; null when there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description What went wrong at the last attempt, without URLs and secrets.
             * @example null
             */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        AlertDefaults: {
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one. Default: `"down"`.
             * @example down
             * @enum {string}
             */
            condition?: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result. Default: `3`.
             * @example 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result. Default: `2`.
             * @example 2
             */
            success_threshold?: number;
            /** @description false: a resolve is recorded, but not sent. Default: `true`. */
            send_on_resolved?: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides. Default: `0`.
             * @example 600
             */
            after?: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none. Default: `null`.
             * @example 3600
             */
            remind_every?: number | null;
        };
        ContactDelivery: {
            /** @enum {string} */
            state: "pending" | "delivered" | "failed" | "superseded";
            /**
             * Format: date-time
             * @description Last attempt; before the first, when it was enqueued.
             * @example 2026-11-20T10:00:00.120Z
             */
            at: string;
            /**
             * @description What went wrong at the last attempt, without URLs and secrets.
             * @example null
             */
            error: string | null;
        };
        /** @description Distinguished by `type`. */
        Contact: components["schemas"]["EmailContact"] | components["schemas"]["WebhookContact"] | components["schemas"]["SlackContact"] | components["schemas"]["DiscordContact"] | components["schemas"]["TeamsContact"] | components["schemas"]["TelegramContact"] | components["schemas"]["PagerdutyContact"] | components["schemas"]["OpsgenieContact"] | components["schemas"]["TwilioContact"];
        CreateContact: components["schemas"]["CreateEmailContact"] | components["schemas"]["CreateWebhookContact"] | components["schemas"]["CreateSlackContact"] | components["schemas"]["CreateDiscordContact"] | components["schemas"]["CreateTeamsContact"] | components["schemas"]["CreateTelegramContact"] | components["schemas"]["CreatePagerdutyContact"] | components["schemas"]["CreateOpsgenieContact"] | components["schemas"]["CreateTwilioContact"];
        UpdateContact: {
            /**
             * @description Who is reached.
             * @example Operations
             */
            name?: string;
            /**
             * @description Channel type: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add. Changes only together with `config`.
             * @example slack
             * @enum {string}
             */
            type?: "email" | "webhook" | "slack" | "discord" | "teams" | "telegram" | "pagerduty" | "opsgenie" | "twilio";
            config?: components["schemas"]["EmailConfig"] | components["schemas"]["WebhookConfig"] | components["schemas"]["SlackConfig"] | components["schemas"]["DiscordConfig"] | components["schemas"]["TeamsConfig"] | components["schemas"]["TelegramConfig"] | components["schemas"]["PagerDutyConfig"] | components["schemas"]["OpsgenieConfig"] | components["schemas"]["TwilioConfig"];
            /** @description New endpoints get an alert through it. */
            default?: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults?: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example null
             */
            key?: string | null;
        };
        EndpointScope: {
            /**
             * @description Everything that the organization has; without any of the lists.
             * @enum {boolean}
             */
            all?: true;
            /** @description Websites: all their endpoints. */
            website_ids?: string[];
            /** @description Endpoints. */
            endpoint_ids?: string[];
            /**
             * @description Tags of endpoints or their websites. They need not exist yet.
             * @example [
             *       "production"
             *     ]
             */
            tags?: string[];
        };
        AddContactAlerts: {
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one. Default: `"down"`.
             * @example down
             * @enum {string}
             */
            condition?: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result. Default: `3`.
             * @example 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result. Default: `2`.
             * @example 2
             */
            success_threshold?: number;
            /** @description false: a resolve is recorded, but not sent. Default: `true`. */
            send_on_resolved?: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides. Default: `0`.
             * @example 600
             */
            after?: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none. Default: `null`.
             * @example 3600
             */
            remind_every?: number | null;
            /**
             * @description The endpoints that get an alert: all, or those that any of the lists names.
             * @example {
             *       "tags": [
             *         "production"
             *       ]
             *     }
             */
            scope: components["schemas"]["EndpointScope"];
        };
        AddedContactAlerts: {
            /**
             * @description Alerts that were made.
             * @example 12
             */
            created: number;
            /**
             * @description Endpoints of the scope that had an alert through the contact already.
             * @example 3
             */
            existing: number;
        };
        /** @enum {string} */
        CheckErrorCode: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
        AlertEventError: {
            /** @example connection_refused */
            code: components["schemas"]["CheckErrorCode"];
            /** @example connection refused */
            message: string;
        };
        AlertEvent: {
            /** @example ev_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @enum {string} */
            type: "triggered" | "resolved";
            /**
             * @description The alert; it may be deleted by now.
             * @example al_01jd3k6q7be5y9x4v2m8n0r1st
             */
            alert_id: string;
            /**
             * @description Channel type of the alert at that time: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add.
             * @example slack
             */
            alert_type: string;
            /**
             * @description Which checks were bad for the alert at that time.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * @description Name at that time.
             * @example Checkout API
             */
            endpoint_name: string;
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            website_id: string;
            /**
             * @description Name at that time.
             * @example Example shop
             */
            website_name: string;
            /**
             * @description `threshold`: enough checks in a row. `disabled`: alert, endpoint or website was switched off, or the alert got another type or config. `deleted`: one of them was deleted.
             * @enum {string}
             */
            reason: "threshold" | "disabled" | "deleted";
            /** @example Checkout API is down: connection refused (3 checks in a row) */
            message: string;
            /** @description The bad check’s error, or its warning when it was up; null on resolve. */
            error: components["schemas"]["AlertEventError"] | null;
            /**
             * @description Consecutive bad checks at that moment.
             * @example 3
             */
            failure_count: number;
            /**
             * @description Consecutive good checks at that moment.
             * @example 0
             */
            success_count: number;
            /**
             * Format: date-time
             * @description First bad check of the incident outside of maintenance.
             * @example 2026-11-20T09:58:00.000Z
             */
            started_at: string | null;
            /**
             * @description Resolved only: seconds from the first failing check to the check (or the change) that resolved it.
             * @example null
             */
            duration_seconds: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description What became of its message; null when none was to be sent. Absent in the live stream, which tells an event before anything is sent. */
            delivery?: components["schemas"]["DeliverySummary"] | null;
        };
        Acknowledgement: {
            /**
             * @description The name of the key, also of the one that the session was made from; `link` when it came by the link of a message.
             * @example On call
             */
            by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T12:05:00.000Z
             */
            at: string;
            /** @example The switch is being replaced. */
            note: string;
            /**
             * Format: date-time
             * @description Until when at the longest; null: until the endpoint is well again.
             * @example null
             */
            until: string | null;
        };
        Acknowledge: {
            /**
             * @description What others should know. Pagers are told. Default: `""`.
             * @example The switch is being replaced.
             */
            note?: string;
            /**
             * Format: date-time
             * @description Until when at the longest; null: until the endpoint is well again. Default: `null`.
             * @example 2036-11-20T14:00:00.000Z
             */
            until?: string | null;
        };
        StateChangeError: {
            /**
             * @description Stable; switch on it.
             * @example connection_refused
             */
            code: components["schemas"]["CheckErrorCode"];
        };
        StateChange: {
            /**
             * @description The check, as in the list.
             * @example ck_01jd3k6q7be5y9x4v2m8n0r1st
             */
            id: string;
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /** @example Checkout API */
            endpoint_name: string;
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            website_id: string;
            /**
             * @example down
             * @enum {string}
             */
            status: "up" | "down" | "unknown";
            /**
             * @example up
             * @enum {string}
             */
            previous_status: "up" | "down" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Milliseconds.
             * @example 83.412
             */
            duration_ms: number | null;
            /**
             * @description HTTP status.
             * @example 503
             */
            status_code: number | null;
            /** @description null when it is up. */
            error: components["schemas"]["StateChangeError"] | null;
        };
        CheckStreamEvent: {
            /** @enum {string} */
            event: "check";
            /** @description Of the check; send it as `Last-Event-ID` to resume after it. */
            id: string;
            data: components["schemas"]["StateChange"];
        };
        AlertStreamEvent: {
            /** @enum {string} */
            event: "alert";
            /** @description Of the alert event; send it as `Last-Event-ID` to resume after it. */
            id: string;
            data: components["schemas"]["AlertEvent"];
        };
        MaintenanceChange: {
            /**
             * @description May have been deleted, when it ends.
             * @example mw_01jd3k6q7be5y9x4v2m8n0r1st
             */
            window_id: string;
            /** @example Weekly patches */
            name: string;
            /**
             * @description `started` again when a change moves its end.
             * @enum {string}
             */
            state: "started" | "ended";
            /**
             * Format: date-time
             * @description When it ends, or ended.
             * @example 2026-11-22T03:00:00.000Z
             */
            until: string;
        };
        MaintenanceStreamEvent: {
            /** @enum {string} */
            event: "maintenance";
            /** @description Of this place in the stream; send it as `Last-Event-ID` to resume after it. */
            id: string;
            data: components["schemas"]["MaintenanceChange"];
        };
        StreamAcknowledgement: {
            /**
             * @description The name of the API key; null without one.
             * @example On call
             */
            by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:05:00.000Z
             */
            at: string;
            /** @example The disk is full, I am at it. */
            note: string;
            /**
             * Format: date-time
             * @description null: until it is up.
             * @example 2026-11-20T11:05:00.000Z
             */
            until: string | null;
        };
        AcknowledgementChange: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /** @description null when it has ended. */
            acknowledgement: components["schemas"]["StreamAcknowledgement"] | null;
        };
        AcknowledgementStreamEvent: {
            /** @enum {string} */
            event: "acknowledgement";
            /** @description Of this place in the stream; send it as `Last-Event-ID` to resume after it. */
            id: string;
            data: components["schemas"]["AcknowledgementChange"];
        };
        OtherStreamEvent: {
            /**
             * @description `ready`: connected. `reset`: too much was missed, read the lists again. `ping`: every ten seconds.
             * @enum {string}
             */
            event: "ready" | "reset" | "ping";
            /** @description Of `ready`, for clients that resume nothing: where the stream begins. */
            id?: string;
            /** @description Empty. */
            data: Record<string, never>;
        };
        OverviewWebsite: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
        };
        OverviewItem: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Checkout */
            name: string;
            /**
             * @description Read keys see the query of an http(s) URL as `?********`.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /**
             * @example HTTPS
             * @enum {string}
             */
            type: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
            website: components["schemas"]["OverviewWebsite"];
            /**
             * @description Its own; its website’s apply as well.
             * @example [
             *       "production"
             *     ]
             */
            tags: string[];
            /** @enum {string} */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * @description Up, but an assertion of severity `warning` failed in the newest check.
             * @example false
             */
            degraded: boolean;
            /** @description What is in force for it now; the status stays the truth. */
            maintenance: components["schemas"]["EndpointMaintenance"] | null;
            /** @description Who has its failure in hand. */
            acknowledgement: components["schemas"]["EndpointAcknowledgement"] | null;
            /**
             * Format: date-time
             * @description Since when the status holds; null before the first check. A pause begins a new one.
             * @example 2026-11-20T10:00:00.000Z
             */
            status_since: string | null;
            /**
             * Format: date-time
             * @description Newest check; null before the first.
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * @description What the newest check failed with.
             * @enum {string|null}
             */
            last_error: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal" | null;
            /**
             * @description up / (up + down) over the last 24 full hours and the running one, planned checks left out; null while nothing is known.
             * @example 0.99931
             */
            uptime_24h: number | null;
            /**
             * @description Share of the checks behind `uptime_24h` that could tell.
             * @example 1
             */
            coverage_24h: number | null;
            /**
             * @description How much of the 24 hours behind the uptime the endpoint was watched, since it was made; a pause is not taken off; null while it is not known.
             * @example 1
             */
            watched_24h: number | null;
            /**
             * @description up / (up + down) over the last 7 full days (UTC) and today, planned checks left out; null while nothing is known.
             * @example 0.99931
             */
            uptime_7d: number | null;
            /**
             * @description How much of the 7 days behind the uptime the endpoint was watched, by days (UTC): the time since it was made at most, without the days on which no check could tell and none was planned; null while it is not known.
             * @example 1
             */
            watched_7d: number | null;
            /**
             * @description up / (up + down) over the last 30 full days (UTC) and today, planned checks left out; null while nothing is known.
             * @example 0.99931
             */
            uptime_30d: number | null;
            /**
             * @description How much of the 30 days behind the uptime the endpoint was watched, by days (UTC): the time since it was made at most, without the days on which no check could tell and none was planned; null while it is not known.
             * @example 1
             */
            watched_30d: number | null;
            /**
             * @description up / (up + down) over the last 90 full days (UTC) and today, planned checks left out; null while nothing is known.
             * @example 0.99931
             */
            uptime_90d: number | null;
            /**
             * @description How much of the 90 days behind the uptime the endpoint was watched, by days (UTC): the time since it was made at most, without the days on which no check could tell and none was planned; null while it is not known.
             * @example 1
             */
            watched_90d: number | null;
            /**
             * @description 95th percentile of the latency over the last 24 full hours (until there is one: since the beginning), milliseconds.
             * @example 83.412
             */
            p95_ms: number | null;
            /** @description The newest outcomes, oldest first, at most 30; `degraded` is up with a failed warning. */
            recent: ("up" | "down" | "unknown" | "degraded")[];
            /**
             * Format: date-time
             * @description Expiry of the certificate seen by the newest check that saw one.
             * @example 2026-11-20T10:00:00.000Z
             */
            certificate_expires_at: string | null;
            /**
             * @description Whether an alert of the endpoint is triggered.
             * @example false
             */
            alert_open: boolean;
        };
        Check: {
            /** @example ck_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * @description `unknown`: the fault is ours or we were not allowed to look; kept out of uptime and streaks.
             * @enum {string}
             */
            outcome: "up" | "down" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Sum of the phases, milliseconds.
             * @example 83.412
             */
            duration_ms: number;
            phases: components["schemas"]["CheckPhases"];
            /**
             * @description Final HTTP status.
             * @example 200
             */
            status_code: number | null;
            /**
             * @description The address connected to.
             * @example 192.0.2.1
             */
            address: string | null;
            /** @description Also when its verification failed. */
            certificate: components["schemas"]["Certificate"] | null;
            /**
             * @description DNS: the answers. SSH: identification and host key fingerprint.
             * @example null
             */
            records: string[] | null;
            /** @description URLs that were redirected to, without credentials and query. */
            redirects: string[];
            /** @description null exactly when the outcome is `up`. */
            error: components["schemas"]["CheckError"] | null;
            /**
             * @description Made in maintenance that is excluded from uptime: counted as planned, whatever it found.
             * @example false
             */
            planned: boolean;
            /**
             * @description Up, but an assertion of severity `warning` failed.
             * @example false
             */
            degraded: boolean;
            /** @description The warning; null exactly when not degraded. */
            warning: components["schemas"]["CheckError"] | null;
            /**
             * @description 2 when a failure was repeated before it was recorded.
             * @example 1
             * @enum {number}
             */
            attempts: 1 | 2;
            /** @description What the first of two attempts failed with. */
            first_error: components["schemas"]["CheckError"] | null;
        };
        OutageError: {
            /**
             * @example connection_refused
             * @enum {string}
             */
            code: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
            /** @example The connection to 192.0.2.1 port 443 was refused. */
            message: string;
        };
        Outage: {
            /**
             * Format: date-time
             * @description The first failing check.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description The first good check, or when the endpoint was paused or got another target; null while it lasts. A failure after that is another outage.
             */
            ended_at: string | null;
            /**
             * @description Up to now while it lasts.
             * @example 312
             */
            duration_seconds: number;
            /** @description What the first check failed with. */
            error: components["schemas"]["OutageError"] | null;
            /**
             * @description In maintenance that is excluded from uptime: neither counted nor downtime. Where maintenance begins or ends, one outage ends and another begins.
             * @example false
             */
            planned: boolean;
        };
        Latency: {
            /**
             * @description Mean, milliseconds; null without a good check.
             * @example 83.412
             */
            avg: number | null;
            /**
             * @description Median (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p50: number | null;
            /**
             * @description 95th percentile (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p95: number | null;
            /**
             * @description 99th percentile (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p99: number | null;
            /**
             * @description Fastest check, milliseconds; null without a good check.
             * @example 83.412
             */
            min: number | null;
            /**
             * @description Slowest check, milliseconds; null without a good check.
             * @example 83.412
             */
            max: number | null;
        };
        Uptime: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * Format: date-time
             * @description Begin of what was counted. A range that begins before the single checks that are kept is widened to full hours.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of what was counted, excluded.
             */
            to: string;
            /**
             * @description Good checks among those that could tell: up / (up + down), planned ones left out. null when none could.
             * @example 0.99931
             */
            uptime: number | null;
            /**
             * @description Share of the checks that could tell, planned ones left out: 1 − unknown / (checks − planned). null without such checks.
             * @example 1
             */
            coverage: number | null;
            /**
             * @description How much of the range the endpoint was watched: the time since it was made at most, and in a range of two days or more without the days (UTC) on which no check could tell and none was planned. 0 without a check.
             * @example 1
             */
            watched: number;
            /**
             * @description All recorded checks, planned ones included.
             * @example 1440
             */
            checks: number;
            /**
             * @description Checks with outcome `down` that were not planned.
             * @example 1
             */
            failures: number;
            /**
             * @description Checks with outcome `unknown`: recorded, but not held against the target.
             * @example 0
             */
            unknown: number;
            /**
             * @description Checks in maintenance that is excluded from uptime: in no other figure, whatever they found.
             * @example 0
             */
            planned: number;
            /**
             * @description Seconds inside the range, since the endpoint was made, in which such maintenance covered the endpoint as it is now.
             * @example 0
             */
            planned_seconds: number;
            /**
             * @description Good checks of which an assertion of severity `warning` failed.
             * @example 0
             */
            degraded: number;
            /**
             * @description Outages that touch the range and were not planned.
             * @example 1
             */
            outage_count: number;
            /**
             * @description Seconds of these outages inside the range and outside of planned time.
             * @example 312
             */
            downtime_seconds: number;
            /** @description The newest 100 outages that touch the range, planned ones included, newest first. */
            outages: components["schemas"]["Outage"][];
            /** @description Of the good checks that were not planned. */
            latency: components["schemas"]["Latency"];
        };
        LatencyBucket: {
            /**
             * Format: date-time
             * @description A multiple of the step since 1970.
             */
            start: string;
            /**
             * @description All checks, planned ones included.
             * @example 5
             */
            count: number;
            /**
             * @description Checks with outcome `down`.
             * @example 0
             */
            failures: number;
            /**
             * @description Checks with outcome `unknown`.
             * @example 0
             */
            unknown: number;
            /**
             * @description Checks in maintenance that is excluded from uptime: in none of the other figures, whatever they found.
             * @example 0
             */
            planned: number;
            /**
             * @description Mean of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            avg: number | null;
            /**
             * @description Median of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p50: number | null;
            /**
             * @description 95th percentile of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p95: number | null;
            /**
             * @description 99th percentile of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p99: number | null;
            /**
             * @description Slowest of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            max: number | null;
            /** @description Mean of each phase over the good checks: stacked they make the mean. null without one. */
            phases: components["schemas"]["CheckPhases"] | null;
        };
        WholeScope: {
            /**
             * @description Everything that the organization has.
             * @enum {boolean}
             */
            all: true;
        };
        PartialScope: {
            /**
             * @example [
             *       "ws_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            website_ids?: string[];
            /**
             * @example [
             *       "ep_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            endpoint_ids?: string[];
            /**
             * @example [
             *       "production"
             *     ]
             */
            tags?: string[];
        };
        MaintenanceOccurrence: {
            /**
             * Format: date-time
             * @example 2027-03-28T01:00:00.000Z
             */
            starts_at: string;
            /**
             * Format: date-time
             * @example 2027-03-28T03:00:00.000Z
             */
            ends_at: string;
        };
        MaintenanceWindow: {
            /** @example mw_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description What is done.
             * @example Weekly patches
             */
            name: string;
            /**
             * @description Shown on status pages.
             * @example We update our servers.
             */
            description: string;
            /**
             * @description What it covers.
             * @example {
             *       "tags": [
             *         "production"
             *       ]
             *     }
             */
            scope: components["schemas"]["WholeScope"] | components["schemas"]["PartialScope"];
            /**
             * Format: date-time
             * @description Of a one-off window its start, at most 5 minutes ago. Of a recurring one optional: no occurrence begins before.
             * @example null
             */
            starts_at: string | null;
            /**
             * Format: date-time
             * @description Of a one-off window its end, at most 90 days after its start. Of a recurring one optional: the end of everything.
             * @example null
             */
            ends_at: string | null;
            /**
             * @description Five fields of cron by the clock on the wall in `timezone`, `L` and `SUN#2` included. A time that does not exist begins at the first that does, one that comes twice the first time.
             * @example 0 2 * * SUN
             */
            cron: string | null;
            /**
             * @description Of the IANA database.
             * @example Europe/Berlin
             */
            timezone: string | null;
            /**
             * @description Seconds that pass from each start, whatever clocks are set to; less than the shortest pause between two starts.
             * @example 7200
             */
            duration: number | null;
            /** @description Alerts of what is covered do not trigger; they resolve. */
            mute: boolean;
            /** @description Checks are marked `planned` and count neither as up nor as down. */
            exclude_from_uptime: boolean;
            /** @description Shown on status pages that show something it covers. */
            public: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the maintenance windows of the organization; null for none.
             * @example patching
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description `active`: an occurrence runs. `scheduled`: one will. `ended`: no more will.
             * @example scheduled
             * @enum {string}
             */
            status: "scheduled" | "active" | "ended";
            /**
             * Format: date-time
             * @description The end of the occurrence that runs.
             * @example null
             */
            active_until: string | null;
            /** @description The next three that have not begun. */
            next: components["schemas"]["MaintenanceOccurrence"][];
            /**
             * @description The name of the API key; null without one.
             * @example Deployment
             */
            created_by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        MaintenanceScope: {
            /**
             * @description Everything that the organization has; without any of the lists.
             * @enum {boolean}
             */
            all?: true;
            /** @description Websites: all their endpoints. */
            website_ids?: string[];
            /** @description Endpoints. */
            endpoint_ids?: string[];
            /**
             * @description Tags of endpoints or their websites. They need not exist yet.
             * @example [
             *       "production"
             *     ]
             */
            tags?: string[];
        };
        CreateMaintenanceWindow: {
            /**
             * @description Shown on status pages. Default: `""`.
             * @example We update our servers.
             */
            description?: string;
            /**
             * Format: date-time
             * @description Of a one-off window its start, at most 5 minutes ago. Of a recurring one optional: no occurrence begins before.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description Of a one-off window its end, at most 90 days after its start. Of a recurring one optional: the end of everything.
             */
            ends_at?: string | null;
            /**
             * @description Five fields of cron by the clock on the wall in `timezone`, `L` and `SUN#2` included. A time that does not exist begins at the first that does, one that comes twice the first time.
             * @example 0 2 * * SUN
             */
            cron?: string | null;
            /**
             * @description Of the IANA database.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Seconds that pass from each start, whatever clocks are set to; less than the shortest pause between two starts.
             * @example 7200
             */
            duration?: number | null;
            /** @description Alerts of what is covered do not trigger; they resolve. Default: `true`. */
            mute?: boolean;
            /** @description Checks are marked `planned` and count neither as up nor as down. Default: `true`. */
            exclude_from_uptime?: boolean;
            /** @description Shown on status pages that show something it covers. Default: `true`. */
            public?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the maintenance windows of the organization; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description What is done.
             * @example Weekly patches
             */
            name: string;
            /** @description What the window covers: everything, or all that any of the lists names. What comes later is covered from its next result. */
            scope: components["schemas"]["MaintenanceScope"];
        };
        UpdateMaintenanceWindow: {
            /**
             * @description Shown on status pages.
             * @example We update our servers.
             */
            description?: string;
            /**
             * Format: date-time
             * @description Of a one-off window its start, at most 5 minutes ago. Of a recurring one optional: no occurrence begins before.
             */
            starts_at?: string | null;
            /**
             * Format: date-time
             * @description Of a one-off window its end, at most 90 days after its start. Of a recurring one optional: the end of everything.
             */
            ends_at?: string | null;
            /**
             * @description Five fields of cron by the clock on the wall in `timezone`, `L` and `SUN#2` included. A time that does not exist begins at the first that does, one that comes twice the first time.
             * @example 0 2 * * SUN
             */
            cron?: string | null;
            /**
             * @description Of the IANA database.
             * @example Europe/Berlin
             */
            timezone?: string | null;
            /**
             * @description Seconds that pass from each start, whatever clocks are set to; less than the shortest pause between two starts.
             * @example 7200
             */
            duration?: number | null;
            /** @description Alerts of what is covered do not trigger; they resolve. */
            mute?: boolean;
            /** @description Checks are marked `planned` and count neither as up nor as down. */
            exclude_from_uptime?: boolean;
            /** @description Shown on status pages that show something it covers. */
            public?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the maintenance windows of the organization; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description What is done.
             * @example Weekly patches
             */
            name?: string;
            /** @description What the window covers: everything, or all that any of the lists names. What comes later is covered from its next result. Replaces the whole scope. */
            scope?: components["schemas"]["MaintenanceScope"];
        };
        StatusPage: {
            /**
             * @description Off by default.
             * @example true
             */
            enabled: boolean;
            /**
             * @description null until the page is first enabled.
             * @example example-shop
             */
            slug: string | null;
            /**
             * @description Address of the page on this installation; with `.json` for programs, with `.svg` a badge.
             * @example /status/example-shop
             */
            path: string | null;
        };
        UpdateStatusPage: {
            /**
             * @description Whether everybody may see the page.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the name by default.
             * @example example-shop
             */
            slug?: string;
        };
        PageGroup: {
            /**
             * @description The heading; empty for none.
             * @example Shop
             */
            name: string;
            /**
             * @example [
             *       "ep_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            endpoints: string[];
            /**
             * @example [
             *       "ws_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            websites: string[];
        };
        PublicPage: {
            /** @example sp_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The website whose page it is, with which it is deleted; null for a page of its own.
             * @example null
             */
            website_id: string | null;
            /**
             * @description null: the name of its website.
             * @example Example status
             */
            title: string | null;
            /**
             * @description The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the title by default.
             * @example example-status
             */
            slug: string;
            /**
             * @description Address of the page on this installation; with `.json` for programs, with `.svg` a badge.
             * @example /status/example-status
             */
            path: string;
            /**
             * @description Shown below the title; plain text.
             * @example What runs, and what does not.
             */
            description: string;
            /**
             * @description null without a logo.
             * @example /status/example-status/logo
             */
            logo_url: string | null;
            /**
             * @description Colour of links and of the stripe at the top, `#rrggbb`; darkened or lightened where it cannot be read.
             * @example #7a3ff2
             */
            accent: string | null;
            /**
             * @description Host name under which the page, and nothing else, is shown. Set by admin keys alone. Point it to this installation; a proxy must pass `Host` on.
             * @example status.example.com
             */
            domain: string | null;
            /** @description What is deleted vanishes from here. */
            groups: components["schemas"]["PageGroup"][];
            /**
             * @description Whether everybody may see the page. Off by default.
             * @example true
             */
            enabled: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the status pages of the organization; null for none.
             * @example public
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreatePageGroup: {
            /**
             * @description The heading; empty for none.
             * @example Shop
             */
            name?: string;
            /**
             * @description Endpoints, in the order in which they are shown.
             * @example [
             *       "ep_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            endpoints?: string[];
            /**
             * @description Websites: all their endpoints, those of the future too, behind the ones named in `endpoints`.
             * @example [
             *       "ws_01jd3k6q7be5y9x4v2m8n0r1st"
             *     ]
             */
            websites?: string[];
        };
        CreatePublicPage: {
            /**
             * @description The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the title by default.
             * @example example-status
             */
            slug?: string;
            /**
             * @description Shown below the title; plain text.
             * @example What runs, and what does not.
             */
            description?: string;
            /**
             * @description A PNG, JPEG or WebP picture of at most 64 KiB as a `data:` URL; null removes it. It is served by this installation, so no reader’s browser asks anybody else. Write-only: `logo_url` tells where it is.
             * @example data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==
             */
            logo?: string | null;
            /**
             * @description Colour of links and of the stripe at the top, `#rrggbb`; darkened or lightened where it cannot be read.
             * @example #7a3ff2
             */
            accent?: string | null;
            /**
             * @description Host name under which the page, and nothing else, is shown. Set by admin keys alone. Point it to this installation; a proxy must pass `Host` on.
             * @example status.example.com
             */
            domain?: string | null;
            /**
             * @description Whether everybody may see the page. Off by default.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the status pages of the organization; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description The heading of the page.
             * @example Example status
             */
            title: string;
            /** @description What the page shows, in this order. */
            groups: components["schemas"]["CreatePageGroup"][];
        };
        UpdatePublicPage: {
            /**
             * @description The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the title by default.
             * @example example-status
             */
            slug?: string;
            /**
             * @description Shown below the title; plain text.
             * @example What runs, and what does not.
             */
            description?: string;
            /**
             * @description A PNG, JPEG or WebP picture of at most 64 KiB as a `data:` URL; null removes it. It is served by this installation, so no reader’s browser asks anybody else. Write-only: `logo_url` tells where it is.
             * @example data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==
             */
            logo?: string | null;
            /**
             * @description Colour of links and of the stripe at the top, `#rrggbb`; darkened or lightened where it cannot be read.
             * @example #7a3ff2
             */
            accent?: string | null;
            /**
             * @description Host name under which the page, and nothing else, is shown. Set by admin keys alone. Point it to this installation; a proxy must pass `Host` on.
             * @example status.example.com
             */
            domain?: string | null;
            /**
             * @description Whether everybody may see the page. Off by default.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the status pages of the organization; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description The heading. null, for the page of a website only: its name.
             * @example Example status
             */
            title?: string | null;
            /** @description What the page shows, in this order; replaces all groups. */
            groups?: components["schemas"]["CreatePageGroup"][];
        };
        ConfigurationSummary: {
            /** @example 1 */
            create: number;
            /** @example 1 */
            update: number;
            /**
             * @description Was there without a key or without an owner.
             * @example 0
             */
            adopt: number;
            /** @example 0 */
            delete: number;
            /**
             * @description Declared, and as declared: nothing of it is touched.
             * @example 12
             */
            unchanged: number;
        };
        ConfigurationField: {
            /**
             * @description RFC 6901 pointer into the resource.
             * @example /interval
             */
            pointer: string;
            /**
             * @description As the audit log shows it: credentials are masked, other resources named by key path.
             * @example 60
             */
            before: string | number | boolean | unknown[] | {
                [key: string]: unknown;
            } | null;
            /**
             * @description `(changed)` where a mask hides the difference.
             * @example 30
             */
            after: string | number | boolean | unknown[] | {
                [key: string]: unknown;
            } | null;
        };
        ConfigurationChange: {
            /**
             * @example update
             * @enum {string}
             */
            action: "create" | "update" | "adopt" | "delete";
            /**
             * @example endpoint
             * @enum {string}
             */
            resource: "contact" | "website" | "endpoint" | "alert" | "status_page" | "maintenance_window";
            /**
             * @description The key path.
             * @example shop/front
             */
            key: string;
            /**
             * @description null in a plan for what is to be made.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            id: string | null;
            /** @description Of something new what the document says of it. */
            fields: components["schemas"]["ConfigurationField"][];
        };
        ConfigurationNote: {
            /**
             * @description The key path of what it is about.
             * @example shop
             */
            key: string | null;
            /** @example The history of 3 endpoints goes: checks, outages and events since 2026-11-20. */
            message: string;
        };
        ConfigurationPlan: {
            summary: components["schemas"]["ConfigurationSummary"];
            /** @description Children behind their parents; deletions last. */
            changes: components["schemas"]["ConfigurationChange"][];
            /** @description What to know before it is applied. */
            notes: components["schemas"]["ConfigurationNote"][];
        };
        ReportEntry: {
            /**
             * @description Where it stands in the file: a JSON pointer, or a line.
             * @example line 12
             */
            at: string;
            /**
             * @description What the other program calls it.
             * @example Front page
             */
            name: string;
            /**
             * @description `mapped`: it is in the document as it was. `approximated`: it is there, with a difference. `skipped`: it is not there.
             * @example approximated
             * @enum {string}
             */
            result: "mapped" | "approximated" | "skipped";
            /**
             * @description The difference, or the reason; null when nothing is lost.
             * @example the page is rendered in a browser there and only fetched here
             */
            why: string | null;
        };
        Conversion: {
            /**
             * @description A configuration document of version 1. Credentials of the file are in it, some of them in `secrets`: move them out before you keep it in git.
             * @example {
             *       "version": 1,
             *       "websites": [
             *         {
             *           "key": "shop",
             *           "name": "Shop",
             *           "url": "https://shop.example.com",
             *           "endpoints": []
             *         }
             *       ]
             *     }
             */
            document: {
                [key: string]: unknown;
            };
            /** @description What became of each thing in the file: everything is in the document or skipped here. */
            report: components["schemas"]["ReportEntry"][];
        };
        QuotaUse: {
            /**
             * @description `null`: no limit.
             * @example 10000
             */
            limit: number | null;
            /**
             * @description `null` where there is no one number: alerts are counted for each endpoint, streams in each process.
             * @example 42
             */
            used: number | null;
        };
        Quotas: {
            /** @description Websites. */
            websites: components["schemas"]["QuotaUse"];
            /** @description Endpoints. */
            endpoints: components["schemas"]["QuotaUse"];
            /** @description Alerts. */
            alerts: components["schemas"]["QuotaUse"];
            /** @description Alerts of one endpoint. */
            alerts_per_endpoint: components["schemas"]["QuotaUse"];
            /** @description The sum of 1 / interval over all endpoints, paused ones included. */
            checks_per_second: components["schemas"]["QuotaUse"];
            /** @description API keys. */
            api_keys: components["schemas"]["QuotaUse"];
            /** @description Public status pages, disabled ones included. */
            status_pages: components["schemas"]["QuotaUse"];
            /** @description Live streams open at once in one process. */
            streams: components["schemas"]["QuotaUse"];
            /** @description Bytes that changes have added since 00:00 UTC, in the audit log and in the history of maintenance windows. Beyond it changes are 429 `rate_limited` until the next day; deleting, disabling and acknowledging go on. */
            changed_bytes_per_day: components["schemas"]["QuotaUse"];
        };
        CurrentOrganization: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Default */
            name: string;
            /**
             * @description Name of the API key that asks.
             * @example First admin key
             */
            key_name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /** @description What the organization may have, and has. */
            quotas: components["schemas"]["Quotas"];
        };
        ApiKey: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Terraform */
            name: string;
            /** @enum {string} */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @example null
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To the minute.
             * @example 2026-11-20T10:15:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        CreateApiKey: {
            /** @example Terraform */
            name: string;
            /**
             * @description `read` may GET; `write` also create, update, delete, run and test; `admin` also manage keys.
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @description When the key stops working: a time to come, with `Z` or an offset, or a date. Never when absent.
             * @example 2027-12-31T00:00:00.000Z
             */
            expires_at?: string | null;
        };
        CreatedApiKey: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Terraform */
            name: string;
            /** @enum {string} */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @example null
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To the minute.
             * @example 2026-11-20T10:15:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The key itself. Shown this one time.
             * @example ums_w_…
             */
            key: string;
        };
        AuditAuthor: {
            /**
             * @description `api_key`, `session` (of the dashboard, made from the key), `sign_in_link` (one-time, made from the key), `acknowledge_link` (whoever had the link of a message), `operator` (the operator token), `auth_off` (nobody had to say), `command_line` (`npm run keys` on the server), `system` (the service itself).
             * @example api_key
             * @enum {string}
             */
            via: "api_key" | "session" | "sign_in_link" | "acknowledge_link" | "operator" | "auth_off" | "command_line" | "system";
            /**
             * @description The key, also after its revocation.
             * @example key_01jd3k6q7be5y9x4v2m8n0r1st
             */
            key_id: string | null;
            /**
             * @description Its name at that time.
             * @example Terraform
             */
            key_name: string | null;
            /**
             * @description Address that opened the connection: the proxy’s, where one is in front.
             * @example 203.0.113.7
             */
            ip: string | null;
        };
        AuditEntry: {
            /** @example au_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description `test`: an alert’s test message, or an endpoint tried out before it was saved. `check`: an endpoint checked by hand. `sign_in_failed`: with a key or link that had expired; an unknown one is nobody’s and has no entry.
             * @example update
             * @enum {string}
             */
            action: "create" | "update" | "delete" | "test" | "check" | "redeliver" | "sign_in" | "sign_in_failed" | "sign_out";
            /**
             * @example website
             * @enum {string}
             */
            resource: "website" | "endpoint" | "alert" | "acknowledgement" | "status_page" | "public_page" | "delivery" | "api_key" | "session" | "organization" | "maintenance" | "contact";
            /**
             * @description What it was done to. An endpoint that was only tried out has an id that leads nowhere.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            resource_id: string;
            /**
             * @description Settings that an update changed, those behind a mask included.
             * @example [
             *       "enabled"
             *     ]
             */
            changed: string[];
            /**
             * @description The changed settings before, all of them for a deletion. Credentials are masked. At most 2 KiB: a text or list that was cut ends with `…` and how much there was, a setting that does not fit is `… (n bytes)`.
             * @example {
             *       "enabled": true
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The changed settings after, all of them for a creation; cut as `before`.
             * @example {
             *       "enabled": false
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Who did it. */
            author: components["schemas"]["AuditAuthor"];
            /**
             * @description `X-Request-Id` of the request; `client:` stands before an id that the client chose itself.
             * @example 018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11
             */
            request_id: string | null;
        };
        CreateSession: {
            /**
             * @description An API key of any role; the session gets its rights.
             * @example ums_a_…
             */
            api_key?: string;
            /**
             * @description Instead of a key: the token of a one-time sign-in link.
             * @example rV8…
             */
            sign_in_token?: string;
        };
        SessionOrganization: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Default */
            name: string;
        };
        Session: {
            organization: components["schemas"]["SessionOrganization"];
            /**
             * @description Name of the API key the session stands for.
             * @example First admin key
             */
            key_name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * @description Whether this is the organization that runs the installation.
             * @example true
             */
            is_default: boolean;
        };
        SystemDatabase: {
            /** @enum {string} */
            kind: "embedded" | "postgresql";
            /** @example 18.1 */
            version: string;
            /** @example 48230144 */
            size_bytes: number;
        };
        SystemOverload: {
            /**
             * Format: date-time
             * @description When it began, by the earliest of the instances that are overloaded.
             * @example 2026-11-23T14:02:00.000Z
             */
            since: string;
            /**
             * @description Checks that fall due for each one that is begun, in the instance where that is most.
             * @example 1.8
             */
            ratio: number;
            /**
             * @description Checks that are skipped for it each second, by all instances.
             * @example 840
             */
            skipped_per_second: number;
        };
        SystemScheduler: {
            /**
             * @description Endpoints that are checked on a schedule.
             * @example 120
             */
            active_endpoints: number;
            /**
             * @description How late the most overdue check is, milliseconds; 0 when none is.
             * @example 0
             */
            lag_ms: number;
            /**
             * @description Checks that all instances begin each second, over the last seconds.
             * @example 12.4
             */
            checks_per_second: number;
            /**
             * @description Set while more checks fall due than the installation can make.
             * @example null
             */
            overload: components["schemas"]["SystemOverload"] | null;
        };
        SystemOutbox: {
            /**
             * @description Messages that are still owed.
             * @example 0
             */
            pending: number;
            /**
             * @description Age of the oldest of them, seconds.
             * @example null
             */
            oldest_pending_age_seconds: number | null;
            /**
             * @description Messages of all organizations that were given up, without tests.
             * @example 0
             */
            failed: number;
        };
        SystemRetention: {
            /**
             * @description Days that single checks are kept.
             * @example 30
             */
            raw_days: number;
            /**
             * @description Days that hourly and daily figures are kept.
             * @example 400
             */
            rollup_days: number;
        };
        System: {
            /** @example 0.1.0 */
            version: string;
            /**
             * @description What this process does.
             * @enum {string}
             */
            role: "all" | "api" | "worker";
            /**
             * Format: date-time
             * @description Start of this process.
             * @example 2026-11-20T10:00:00.000Z
             */
            started_at: string;
            /**
             * @description Resident memory of this process.
             * @example 182452224
             */
            memory_bytes: number;
            database: components["schemas"]["SystemDatabase"];
            scheduler: components["schemas"]["SystemScheduler"];
            outbox: components["schemas"]["SystemOutbox"];
            retention: components["schemas"]["SystemRetention"];
        };
        Organization: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Acme */
            name: string;
            /**
             * @description The limits that the operator set for this organization; the others are those of the installation.
             * @example {
             *       "endpoints": 20000
             *     }
             */
            quotas: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        CreateOrganization: {
            /** @example Acme */
            name: string;
        };
        FirstKey: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example First admin key */
            name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * @description The key itself. Shown this one time.
             * @example ums_a_…
             */
            key: string;
        };
        CreatedOrganization: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Acme */
            name: string;
            /**
             * @description The limits that the operator set for this organization; the others are those of the installation.
             * @example {
             *       "endpoints": 20000
             *     }
             */
            quotas: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description The organization’s first admin key. */
            api_key: components["schemas"]["FirstKey"];
        };
        QuotaOverrides: {
            /** @example 2000 */
            websites?: number | null;
            /** @example 20000 */
            endpoints?: number | null;
            /** @example 40000 */
            alerts?: number | null;
            /** @example 100 */
            alerts_per_endpoint?: number | null;
            /** @example 1000 */
            checks_per_second?: number | null;
            /** @example 200 */
            api_keys?: number | null;
            /** @example 200 */
            status_pages?: number | null;
            /** @example 200 */
            streams?: number | null;
            /** @example 268435456 */
            changed_bytes_per_day?: number | null;
        };
        UpdateOrganization: {
            /** @example Acme */
            name?: string;
            /** @description Limits of this organization. One that is absent stays as it is; `null` returns to the limit of the installation. */
            quotas?: components["schemas"]["QuotaOverrides"];
        };
        EmailSmtpConfig: {
            /**
             * Mail server
             * @description Host of the mail server.
             * @example smtp.example.com
             */
            host: string;
            /**
             * @description Port: 465 is TLS from the start, any other port begins with STARTTLS. Default: `587`.
             * @example 587
             */
            port?: number;
            /**
             * Require TLS
             * @description Demand TLS: without it the mail is not sent. `false` uses STARTTLS only when the server offers it, and sends in clear otherwise. Default: `true`.
             * @example true
             */
            secure?: boolean;
            /**
             * User name
             * @description User name of the account.
             * @example uptime@example.com
             */
            username?: string;
            /**
             * Format: password
             * @description Password of the account.
             * @example correct horse battery staple
             */
            password?: string;
        };
        EmailConfig: {
            /**
             * @description Recipients, at most 50, each exactly one address.
             * @example [
             *       "ops@example.com"
             *     ]
             */
            to: string[];
            /**
             * Copy to
             * @description Recipients of a copy, at most 50.
             * @example [
             *       "team@example.com"
             *     ]
             */
            cc?: string[];
            /**
             * Sender
             * @description Sender, with a mail account of the alert’s own; by default the user name of that account. The server’s account sends from the address of the server (`SMTP_FROM`) and takes only the display name from here.
             * @example Uptime <uptime@example.com>
             */
            from?: string;
            /**
             * Own mail account
             * @description Mail account of this alert, instead of the server's own (`SMTP_URL`).
             * @example {
             *       "host": "smtp.example.com",
             *       "port": 587,
             *       "username": "uptime@example.com",
             *       "password": "correct horse battery"
             *     }
             */
            smtp?: components["schemas"]["EmailSmtpConfig"];
        };
        WebhookHeader: {
            /**
             * @description Header name.
             * @example X-Team
             */
            key: string;
            /**
             * @description Header value; masked for read keys.
             * @example operations
             */
            value: string;
        };
        WebhookConfig: {
            /**
             * Format: uri
             * @description Receives each notification as a JSON request.
             * @example https://hooks.example.com/uptime
             */
            url?: string;
            /**
             * Format: uri
             * @deprecated
             * @description Former name of `url`, still accepted; send one of them.
             * @example https://hooks.example.com/uptime
             */
            webhook_url?: string;
            /**
             * @description Request method. Default: `"POST"`.
             * @example POST
             * @enum {string}
             */
            method?: "POST" | "PUT" | "PATCH";
            /**
             * @description Further request headers, at most 50.
             * @example [
             *       {
             *         "key": "X-Team",
             *         "value": "operations"
             *       }
             *     ]
             */
            headers?: components["schemas"]["WebhookHeader"][];
            /**
             * Signing secret
             * Format: password
             * @description Signs the requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Generated when left empty and returned in full only by the request that generates it. While a secret is being replaced, two with a space between them: every request then carries both signatures.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
        };
        SlackConfig: {
            /**
             * Format: uri
             * @description URL of an incoming webhook of Slack or of a compatible server.
             * @example https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * @description Channel to post to, where the webhook allows another one.
             * @example #ops
             */
            channel?: string;
            /**
             * Post as
             * @description Name to post under, where the webhook allows it.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Who is mentioned when an alert triggers: `@channel`, `@here`, a user id or a user group id.
             * @example @here
             */
            mention?: string;
        };
        DiscordConfig: {
            /**
             * Format: uri
             * @description URL of a Discord webhook.
             * @example https://discord.com/api/webhooks/000000000000000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * Post as
             * @description Name to post under.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Thread to post to, by its id.
             * @example 1100000000000000000
             */
            thread_id?: string;
            /**
             * Text or mention above the message
             * @description Text above the message when an alert triggers, usually a mention: `<@&role>`, `<@user>`, `@here`.
             * @example <@&1100000000000000000>
             */
            content?: string;
        };
        TeamsConfig: {
            /**
             * Workflow URL
             * Format: uri
             * @description URL of a Power Automate workflow "When a Teams webhook request is received". Office 365 connectors (webhook.office.com) are retired and refused.
             * @example https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX
             */
            webhook_url: string;
        };
        TelegramConfig: {
            /**
             * Format: password
             * @description Token of the bot that sends.
             * @example 123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
             */
            bot_token: string;
            /**
             * @description Chat to send to: its numeric id, or `@name` of a public channel.
             * @example -1001234567890
             */
            chat_id: string | number;
            /**
             * Topic ID
             * @description Topic of a forum group to post to.
             * @example 42
             */
            message_thread_id?: number;
            /**
             * Bot API server
             * Format: uri
             * @description Base URL of a compatible Bot API server. Default: `"https://api.telegram.org"`.
             * @example https://api.telegram.org
             */
            api_url?: string;
            /**
             * Deliver without a sound
             * @description Deliver without a sound. Default: `false`.
             * @example false
             */
            silent?: boolean;
        };
        PagerDutyConfig: {
            /**
             * Format: password
             * @description Integration key of an Events API v2 integration.
             * @example 0123456789abcdef0123456789abcdef
             */
            routing_key?: string;
            /**
             * Format: password
             * @deprecated
             * @description Former name of `routing_key`, still accepted; send one of them.
             * @example 0123456789abcdef0123456789abcdef
             */
            integration_key?: string;
            /**
             * @description Severity of the incident; without it an endpoint that is only degraded has `warning`. Default: `"critical"`.
             * @example critical
             * @enum {string}
             */
            severity?: "critical" | "error" | "warning" | "info";
            /**
             * @description Service region of the account. Default: `"us"`.
             * @example eu
             * @enum {string}
             */
            region?: "us" | "eu";
            /**
             * API server
             * Format: uri
             * @description Base URL of a compatible server, instead of the region.
             * @example https://events.pagerduty.com
             */
            api_url?: string;
        };
        OpsgenieResponder: {
            /**
             * @description Kind of responder.
             * @example team
             * @enum {string}
             */
            type: "team" | "user" | "escalation" | "schedule";
            /**
             * @description Id of the responder.
             * @example 4513b7ea-3b91-438f-b7e4-e3e54af9147c
             */
            id?: string;
            /**
             * @description Name of a team, escalation or schedule.
             * @example Operations
             */
            name?: string;
            /**
             * @description User name of a user.
             * @example ops@example.com
             */
            username?: string;
        };
        OpsgenieConfig: {
            /**
             * Format: password
             * @description Key of an API integration.
             * @example 00000000-0000-0000-0000-000000000000
             */
            api_key: string;
            /**
             * @description `us` and `eu` are Opsgenie, which ends on 2027-04-05; `jsm` is its successor in Jira Service Management. Default: `"us"`.
             * @example jsm
             * @enum {string}
             */
            region?: "us" | "eu" | "jsm";
            /**
             * API server
             * Format: uri
             * @description Base URL of a compatible server, instead of the region; `/v2/alerts` is added.
             * @example https://api.opsgenie.com
             */
            api_url?: string;
            /**
             * @description Priority of the alert. Default: `"P3"`.
             * @example P1
             * @enum {string}
             */
            priority?: "P1" | "P2" | "P3" | "P4" | "P5";
            /**
             * @description Tags, at most 20.
             * @example [
             *       "uptime"
             *     ]
             */
            tags?: string[];
            /**
             * @description Who is to respond, at most 50.
             * @example [
             *       {
             *         "type": "team",
             *         "name": "Operations"
             *       }
             *     ]
             */
            responders?: components["schemas"]["OpsgenieResponder"][];
        };
        TwilioConfig: {
            /**
             * @description SID of the account.
             * @example AC00000000000000000000000000000000
             */
            account_sid: string;
            /**
             * Format: password
             * @description Auth token of the account, or the secret of the API key when there is an API key SID.
             * @example 00000000000000000000000000000000
             */
            auth_token: string;
            /**
             * @description Instead of the account’s own token: SID of an API key. Its secret is then the auth token.
             * @example SK00000000000000000000000000000000
             */
            api_key_sid?: string;
            /**
             * @description Sender: a number with country code, a short code or a sender name. Or give a messaging service SID.
             * @example +15005550006
             */
            from?: string;
            /**
             * @description Instead of a sender: SID of the messaging service that chooses one.
             * @example MG00000000000000000000000000000000
             */
            messaging_service_sid?: string;
            /**
             * @description Phone numbers with country code (E.164): one, or a list of at most 10.
             * @example +15005550009
             */
            to: string | string[];
            /**
             * API server
             * Format: uri
             * @description Base URL of a compatible server or of another region. Default: `"https://api.twilio.com"`.
             * @example https://api.twilio.com
             */
            api_url?: string;
        };
        NotifiedError: {
            /**
             * @description Stable; switch on it.
             * @example connection_refused
             */
            code: components["schemas"]["CheckErrorCode"];
            /**
             * @description One line for people.
             * @example connection refused
             */
            message: string;
        };
        NotifiedEvent: {
            /**
             * @description `ev_…` of the event, as in the list of alert events; `dl_…` of the delivery for a reminder, a test or a failing contact. Equal over all attempts.
             * @example ev_01jd3k6q7be5y9x4v2m8n0r1st
             */
            id: string;
            /**
             * @example triggered
             * @enum {string}
             */
            type: "triggered" | "resolved" | "reminder" | "test";
            /**
             * @description Which checks are bad for the alert: those that are down, or also those that are up while an assertion of severity `warning` fails.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description What happened, in one sentence.
             * @example Checkout API is down: connection refused (3 checks in a row)
             */
            message: string;
            /**
             * @description The same for a trigger, its reminders and its resolve.
             * @example al_01jd3k6q7be5y9x4v2m8n0r1st-7
             */
            incident_key: string;
            /**
             * @description Of a resolve or a reminder: the `ev_…` of its trigger.
             * @example null
             */
            trigger_event_id: string | null;
            /**
             * @description Why: enough checks in a row, or something was switched off or deleted. null in a reminder and a test.
             * @example threshold
             * @enum {string|null}
             */
            reason: "threshold" | "disabled" | "deleted" | null;
            /** @description Of a trigger: what the newest check failed with, or its warning when it was up. */
            error: components["schemas"]["NotifiedError"] | null;
            /**
             * @description Consecutive bad checks at that moment.
             * @example 3
             */
            failure_count: number;
            /**
             * @description Consecutive good checks at that moment.
             * @example 0
             */
            success_count: number;
            /**
             * Format: date-time
             * @description First bad check.
             * @example 2026-11-20T09:58:00.000Z
             */
            started_at: string | null;
            /**
             * @description Of a resolve: seconds from the first failing check to the end. Of a reminder: until now.
             * @example null
             */
            duration_seconds: number | null;
            /**
             * @description Of a reminder, and in nothing else: which one of its incident, from 1.
             * @example 3
             */
            ordinal?: number;
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        NotifiedAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The alert’s own text.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
        };
        NotifiedEndpoint: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Checkout API */
            name: string;
            /**
             * @description What is checked, without user name, password and query.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /** @example HTTPS */
            type: string;
        };
        NotifiedWebsite: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
            /** @example https://shop.example.com */
            url: string;
        };
        NotifiedCheck: {
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Milliseconds.
             * @example 12.5
             */
            duration_ms: number;
            /**
             * @description HTTP status.
             * @example 503
             */
            status_code: number | null;
            /**
             * @description The address connected to.
             * @example 192.0.2.1
             */
            address: string | null;
        };
        NotifiedLinks: {
            /**
             * @description The page of the endpoint in the dashboard; in a test, that of the alert or the contact; of a failing contact, its own.
             * @example https://uptime.example.com/#/endpoints/ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            page: string;
        };
        NotificationData: {
            event: components["schemas"]["NotifiedEvent"];
            alert: components["schemas"]["NotifiedAlert"];
            endpoint: components["schemas"]["NotifiedEndpoint"];
            website: components["schemas"]["NotifiedWebsite"];
            /** @description The check that decided; null in a test. */
            check: components["schemas"]["NotifiedCheck"] | null;
            /** @description Absent while the service has no `PUBLIC_URL`. */
            links?: components["schemas"]["NotifiedLinks"];
        };
        AlertTriggered: {
            /**
             * Format: date-time
             * @description When it happened: `created_at` of the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NotificationData"];
            /**
             * @example alert.triggered
             * @enum {string}
             */
            type: "alert.triggered";
        };
        AlertResolved: {
            /**
             * Format: date-time
             * @description When it happened: `created_at` of the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NotificationData"];
            /**
             * @example alert.resolved
             * @enum {string}
             */
            type: "alert.resolved";
        };
        AlertReminder: {
            /**
             * Format: date-time
             * @description When it happened: `created_at` of the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["NotificationData"];
            /**
             * @example alert.reminder
             * @enum {string}
             */
            type: "alert.reminder";
        };
        NotifiedContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Operations */
            name: string;
        };
        TestData: {
            event: components["schemas"]["NotifiedEvent"];
            /** @description null in the test of a contact. */
            alert: components["schemas"]["NotifiedAlert"] | null;
            /** @description null in the test of a contact. */
            endpoint: components["schemas"]["NotifiedEndpoint"] | null;
            /** @description null in the test of a contact. */
            website: components["schemas"]["NotifiedWebsite"] | null;
            /** @description Only in the test of a contact. */
            contact?: components["schemas"]["NotifiedContact"];
            /**
             * @description null in a test.
             * @example null
             */
            check: components["schemas"]["NotifiedCheck"] | null;
            /** @description Absent while the service has no `PUBLIC_URL`. */
            links?: components["schemas"]["NotifiedLinks"];
        };
        AlertTest: {
            /**
             * Format: date-time
             * @description When it happened: `created_at` of the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["TestData"];
            /**
             * @example alert.test
             * @enum {string}
             */
            type: "alert.test";
        };
        FailingEvent: {
            /**
             * @description `ev_…` of the event, as in the list of alert events; `dl_…` of the delivery for a reminder, a test or a failing contact. Equal over all attempts.
             * @example ev_01jd3k6q7be5y9x4v2m8n0r1st
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was recorded.
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @example contact_failing
             * @enum {string}
             */
            type: "contact_failing";
            /**
             * @description What happened, in one sentence.
             * @example Messages to contact Operations have been failing for 7 d 3 h: Slack answered 403: invalid_token
             */
            message: string;
        };
        FailingContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Operations */
            name: string;
            /**
             * @description Its channel type.
             * @example slack
             */
            type: string;
            /**
             * Format: date-time
             * @description Its first failed attempt.
             * @example 2026-11-13T09:12:00.000Z
             */
            failing_since: string | null;
            /**
             * @description Failed attempts since then.
             * @example 41
             */
            attempts: number;
            /**
             * @description What went wrong at the last one, without URLs and secrets.
             * @example Slack answered 403: invalid_token
             */
            error: string | null;
        };
        FailingData: {
            event: components["schemas"]["FailingEvent"];
            contact: components["schemas"]["FailingContact"];
            /** @description Absent while the service has no `PUBLIC_URL`. */
            links?: components["schemas"]["NotifiedLinks"];
        };
        ContactFailing: {
            /**
             * Format: date-time
             * @description When it happened: `created_at` of the event.
             * @example 2026-11-20T10:00:00.000Z
             */
            timestamp: string;
            data: components["schemas"]["FailingData"];
            /**
             * @example contact.failing
             * @enum {string}
             */
            type: "contact.failing";
        };
        OverloadEvent: {
            /** @enum {string} */
            type: "overload.began" | "overload.ended";
            /**
             * Format: date-time
             * @description When it was told; with `since`, how long it has lasted.
             * @example 2026-11-20T10:00:00.000Z
             */
            at: string;
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-11-20T10:00:00.000Z
             */
            since: string;
            /**
             * @description Where the process runs.
             * @example monitor-1
             */
            host: string;
            /**
             * @description Number of the process among the instances; null while it has none.
             * @example 1
             */
            instance: number | null;
            /**
             * @description Checks that fall due for each one that is begun. At the end: 1.
             * @example 1.4
             */
            ratio: number;
            /**
             * @description Checks that are skipped each second.
             * @example 20.5
             */
            skipped_per_second: number;
            /**
             * @description Checks skipped since it began.
             * @example 205
             */
            slots_skipped: number;
            /**
             * @description Results lost since it began.
             * @example 0
             */
            results_lost: number;
            /**
             * @description Results that wait to be recorded.
             * @example 12
             */
            results_waiting: number;
            /**
             * @description All of it in one sentence for people.
             * @example The uptime monitor on monitor-1 is overloaded: asked 1.4 times what it can check, it skips 21 checks a second; alerts still come.
             */
            text: string;
        };
        MaskedEmailConfig: {
            /**
             * @description Recipients, at most 50, each exactly one address.
             * @example [
             *       "ops@example.com"
             *     ]
             */
            to: string[];
            /**
             * Copy to
             * @description Recipients of a copy, at most 50.
             * @example [
             *       "team@example.com"
             *     ]
             */
            cc?: string[];
            /**
             * Sender
             * @description Sender, with a mail account of the alert’s own; by default the user name of that account. The server’s account sends from the address of the server (`SMTP_FROM`) and takes only the display name from here.
             * @example Uptime <uptime@example.com>
             */
            from?: string;
            /**
             * Own mail account
             * @description Mail account of this alert, instead of the server's own (`SMTP_URL`).
             * @example {
             *       "host": "smtp.example.com",
             *       "port": 587,
             *       "username": "uptime@example.com",
             *       "password": "correct horse battery"
             *     }
             */
            smtp?: components["schemas"]["MaskedEmailSmtpConfig"];
        };
        MaskedEmailSmtpConfig: {
            /**
             * Mail server
             * @description Host of the mail server.
             * @example smtp.example.com
             */
            host: string;
            /**
             * @description Port: 465 is TLS from the start, any other port begins with STARTTLS.
             * @example 587
             */
            port?: number;
            /**
             * Require TLS
             * @description Demand TLS: without it the mail is not sent. `false` uses STARTTLS only when the server offers it, and sends in clear otherwise.
             * @example true
             */
            secure?: boolean;
            /**
             * User name
             * @description User name of the account.
             * @example uptime@example.com
             */
            username?: string;
            /**
             * @description Password of the account.
             * @example ********
             */
            password?: string;
        };
        MaskedWebhookConfig: {
            /**
             * @description Receives each notification as a JSON request.
             * @example https://hooks.example.com/uptime
             */
            url?: string;
            /**
             * @deprecated
             * @description Former name of `url`, still accepted; send one of them.
             * @example https://hooks.example.com/uptime
             */
            webhook_url?: string;
            /**
             * @description Request method.
             * @example POST
             * @enum {string}
             */
            method?: "POST" | "PUT" | "PATCH";
            /**
             * @description Further request headers, at most 50.
             * @example [
             *       {
             *         "key": "X-Team",
             *         "value": "operations"
             *       }
             *     ]
             */
            headers?: components["schemas"]["MaskedWebhookHeader"][];
            /**
             * Signing secret
             * @description Signs the requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Generated when left empty and returned in full only by the request that generates it. While a secret is being replaced, two with a space between them: every request then carries both signatures.
             * @example ********
             */
            secret?: string;
        };
        MaskedWebhookHeader: {
            /**
             * @description Header name.
             * @example X-Team
             */
            key: string;
            /**
             * @description Header value; masked for read keys.
             * @example operations
             */
            value: string;
        };
        MaskedSlackConfig: {
            /**
             * @description URL of an incoming webhook of Slack or of a compatible server.
             * @example https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * @description Channel to post to, where the webhook allows another one.
             * @example #ops
             */
            channel?: string;
            /**
             * Post as
             * @description Name to post under, where the webhook allows it.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Who is mentioned when an alert triggers: `@channel`, `@here`, a user id or a user group id.
             * @example @here
             */
            mention?: string;
        };
        MaskedDiscordConfig: {
            /**
             * @description URL of a Discord webhook.
             * @example https://discord.com/api/webhooks/000000000000000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * Post as
             * @description Name to post under.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Thread to post to, by its id.
             * @example 1100000000000000000
             */
            thread_id?: string;
            /**
             * Text or mention above the message
             * @description Text above the message when an alert triggers, usually a mention: `<@&role>`, `<@user>`, `@here`.
             * @example <@&1100000000000000000>
             */
            content?: string;
        };
        MaskedTeamsConfig: {
            /**
             * Workflow URL
             * @description URL of a Power Automate workflow "When a Teams webhook request is received". Office 365 connectors (webhook.office.com) are retired and refused.
             * @example https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX
             */
            webhook_url: string;
        };
        MaskedTelegramConfig: {
            /**
             * @description Token of the bot that sends.
             * @example ********
             */
            bot_token: string;
            /**
             * @description Chat to send to: its numeric id, or `@name` of a public channel.
             * @example -1001234567890
             */
            chat_id: string | number;
            /**
             * Topic ID
             * @description Topic of a forum group to post to.
             * @example 42
             */
            message_thread_id?: number;
            /**
             * Bot API server
             * @description Base URL of a compatible Bot API server.
             * @example https://api.telegram.org
             */
            api_url?: string;
            /**
             * Deliver without a sound
             * @description Deliver without a sound.
             * @example false
             */
            silent?: boolean;
        };
        MaskedPagerDutyConfig: {
            /**
             * @description Integration key of an Events API v2 integration.
             * @example ********
             */
            routing_key?: string;
            /**
             * @deprecated
             * @description Former name of `routing_key`, still accepted; send one of them.
             * @example ********
             */
            integration_key?: string;
            /**
             * @description Severity of the incident; without it an endpoint that is only degraded has `warning`.
             * @example critical
             * @enum {string}
             */
            severity?: "critical" | "error" | "warning" | "info";
            /**
             * @description Service region of the account.
             * @example eu
             * @enum {string}
             */
            region?: "us" | "eu";
            /**
             * API server
             * @description Base URL of a compatible server, instead of the region.
             * @example https://events.pagerduty.com
             */
            api_url?: string;
        };
        MaskedOpsgenieConfig: {
            /**
             * @description Key of an API integration.
             * @example ********
             */
            api_key: string;
            /**
             * @description `us` and `eu` are Opsgenie, which ends on 2027-04-05; `jsm` is its successor in Jira Service Management.
             * @example jsm
             * @enum {string}
             */
            region?: "us" | "eu" | "jsm";
            /**
             * API server
             * @description Base URL of a compatible server, instead of the region; `/v2/alerts` is added.
             * @example https://api.opsgenie.com
             */
            api_url?: string;
            /**
             * @description Priority of the alert.
             * @example P1
             * @enum {string}
             */
            priority?: "P1" | "P2" | "P3" | "P4" | "P5";
            /**
             * @description Tags, at most 20.
             * @example [
             *       "uptime"
             *     ]
             */
            tags?: string[];
            /**
             * @description Who is to respond, at most 50.
             * @example [
             *       {
             *         "type": "team",
             *         "name": "Operations"
             *       }
             *     ]
             */
            responders?: components["schemas"]["MaskedOpsgenieResponder"][];
        };
        MaskedOpsgenieResponder: {
            /**
             * @description Kind of responder.
             * @example team
             * @enum {string}
             */
            type: "team" | "user" | "escalation" | "schedule";
            /**
             * @description Id of the responder.
             * @example 4513b7ea-3b91-438f-b7e4-e3e54af9147c
             */
            id?: string;
            /**
             * @description Name of a team, escalation or schedule.
             * @example Operations
             */
            name?: string;
            /**
             * @description User name of a user.
             * @example ops@example.com
             */
            username?: string;
        };
        MaskedTwilioConfig: {
            /**
             * @description SID of the account.
             * @example AC00000000000000000000000000000000
             */
            account_sid: string;
            /**
             * @description Auth token of the account, or the secret of the API key when there is an API key SID.
             * @example ********
             */
            auth_token: string;
            /**
             * @description Instead of the account’s own token: SID of an API key. Its secret is then the auth token.
             * @example SK00000000000000000000000000000000
             */
            api_key_sid?: string;
            /**
             * @description Sender: a number with country code, a short code or a sender name. Or give a messaging service SID.
             * @example +15005550006
             */
            from?: string;
            /**
             * @description Instead of a sender: SID of the messaging service that chooses one.
             * @example MG00000000000000000000000000000000
             */
            messaging_service_sid?: string;
            /**
             * @description Phone numbers with country code (E.164): one, or a list of at most 10.
             * @example +15005550009
             */
            to: string | string[];
            /**
             * API server
             * @description Base URL of a compatible server or of another region.
             * @example https://api.twilio.com
             */
            api_url?: string;
        };
        CreateContactFields: {
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /** @description New endpoints get an alert through it. Default: `false`. */
            default?: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults?: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example null
             */
            key?: string | null;
        };
        CreateEmailContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "email";
            config: components["schemas"]["EmailConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
        };
        EmailContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedEmailConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateWebhookContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "webhook";
            config: components["schemas"]["WebhookConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
        };
        WebhookContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedWebhookConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateSlackContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "slack";
            config: components["schemas"]["SlackConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
        };
        SlackContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedSlackConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateDiscordContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "discord";
            config: components["schemas"]["DiscordConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discord";
        };
        DiscordContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discord";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedDiscordConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTeamsContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "teams";
            config: components["schemas"]["TeamsConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "teams";
        };
        TeamsContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "teams";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedTeamsConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTelegramContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "telegram";
            config: components["schemas"]["TelegramConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "telegram";
        };
        TelegramContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "telegram";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedTelegramConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreatePagerdutyContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "pagerduty";
            config: components["schemas"]["PagerDutyConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pagerduty";
        };
        PagerdutyContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pagerduty";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedPagerDutyConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateOpsgenieContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "opsgenie";
            config: components["schemas"]["OpsgenieConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "opsgenie";
        };
        OpsgenieContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "opsgenie";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedOpsgenieConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTwilioContact: components["schemas"]["CreateContactFields"] & {
            /** @enum {string} */
            type: "twilio";
            config: components["schemas"]["TwilioConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "twilio";
        };
        TwilioContact: {
            /** @example ct_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description Who is reached.
             * @example Operations
             */
            name: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "twilio";
            /** @description Settings of the channel, by `type`, as those of an alert; masked in the same way. */
            config: components["schemas"]["MaskedTwilioConfig"];
            /**
             * @description New endpoints get an alert through it.
             * @example false
             */
            default: boolean;
            /**
             * @description What alerts through it begin with where nobody says otherwise. Sent, it replaces what was there.
             * @example {
             *       "failure_threshold": 2,
             *       "remind_every": 3600
             *     }
             */
            alert_defaults: components["schemas"]["AlertDefaults"];
            /**
             * @description A name of yours for it in configuration files, unique among the contacts of the organization; null for none.
             * @example operations
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /**
             * @description Alerts that notify through it.
             * @example 12
             */
            alert_count: number;
            /** @description The newest message through it, without tests, and what became of it; null before the first. */
            last_delivery: components["schemas"]["ContactDelivery"] | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last one that was delivered; null while messages arrive.
             * @example null
             */
            failing_since: string | null;
            /**
             * @description Its messages have not arrived for more than seven days: at least three attempts failed since, the last within a day. The other default contacts are told once. Nothing is switched off.
             * @example false
             */
            failing: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateAlertFields: {
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one. Default: `"down"`.
             * @example down
             * @enum {string}
             */
            condition?: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result. Default: `3`.
             * @example 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result. Default: `2`.
             * @example 2
             */
            success_threshold?: number;
            /** @description false: a resolve is recorded, but not sent. Default: `true`. */
            send_on_resolved?: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides. Default: `0`.
             * @example 600
             */
            after?: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none. Default: `null`.
             * @example 3600
             */
            remind_every?: number | null;
            /** @description Free text, part of every message. Default: `""`. */
            description?: string;
            /** @description false: never triggers; an open incident is resolved. Default: `true`. */
            enabled?: boolean;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example null
             */
            key?: string | null;
            /**
             * @description The endpoint it watches. Cannot be changed later.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
        };
        CreateEmailAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "email";
            config: components["schemas"]["EmailConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
        };
        EmailAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedEmailConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateWebhookAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "webhook";
            config: components["schemas"]["WebhookConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
        };
        WebhookAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedWebhookConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateSlackAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "slack";
            config: components["schemas"]["SlackConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
        };
        SlackAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedSlackConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateDiscordAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "discord";
            config: components["schemas"]["DiscordConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discord";
        };
        DiscordAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discord";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedDiscordConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTeamsAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "teams";
            config: components["schemas"]["TeamsConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "teams";
        };
        TeamsAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "teams";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedTeamsConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTelegramAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "telegram";
            config: components["schemas"]["TelegramConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "telegram";
        };
        TelegramAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "telegram";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedTelegramConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreatePagerdutyAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "pagerduty";
            config: components["schemas"]["PagerDutyConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pagerduty";
        };
        PagerdutyAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pagerduty";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedPagerDutyConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateOpsgenieAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "opsgenie";
            config: components["schemas"]["OpsgenieConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "opsgenie";
        };
        OpsgenieAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "opsgenie";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedOpsgenieConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateTwilioAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "twilio";
            config: components["schemas"]["TwilioConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "twilio";
        };
        TwilioAlert: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description The contact that it notifies through. null: it has a config of its own; else `type` and `config` are the contact’s.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "twilio";
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /** @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret. */
            config: components["schemas"]["MaskedTwilioConfig"];
            /**
             * @description Which checks are bad. `down`: those that are down. `degraded`: also those that are up while an assertion of severity `warning` fails; the alert resolves when they are up without one.
             * @example down
             * @enum {string}
             */
            condition: "down" | "degraded";
            /**
             * @description Consecutive bad checks that trigger the alert. An edit counts from the next result.
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive good checks that resolve it. An edit counts from the next result.
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Seconds that the endpoint must have been bad as well before the alert triggers; 0: the threshold alone decides.
             * @example 600
             */
            after: number;
            /**
             * @description Seconds between reminders while the alert is triggered, and neither quiet nor flapping; null: none. PagerDuty and Opsgenie remind by themselves and get none.
             * @example 3600
             */
            remind_every: number | null;
            /**
             * @description Free text, part of every message.
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description A name of yours for it in configuration files, unique among the alerts of the endpoint; null for none.
             * @example chat
             */
            key: string | null;
            /**
             * @description The owner of the configuration document that declares it; null for what no document declares.
             * @example null
             */
            owner: string | null;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * @description Where it notifies, in a few words and without a secret: hosts, addresses, a chat. Masked as in `config`; null when the config tells none.
             * @example hooks.slack.com
             */
            destination: string | null;
            /** @description Its newest message, tests included, and what became of it; null before the first. */
            last_delivery: components["schemas"]["DeliverySummary"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        /** @description With a config of its own. Distinguished by `type`. */
        CreateAlertWithConfig: components["schemas"]["CreateEmailAlert"] | components["schemas"]["CreateWebhookAlert"] | components["schemas"]["CreateSlackAlert"] | components["schemas"]["CreateDiscordAlert"] | components["schemas"]["CreateTeamsAlert"] | components["schemas"]["CreateTelegramAlert"] | components["schemas"]["CreatePagerdutyAlert"] | components["schemas"]["CreateOpsgenieAlert"] | components["schemas"]["CreateTwilioAlert"];
        /**
         * contact
         * @description Through a contact, without `type` and `config`. Fields that are left out begin with the `alert_defaults` of the contact.
         */
        CreateContactAlert: components["schemas"]["CreateAlertFields"] & {
            /**
             * @description The contact that it notifies through.
             * @example ct_01jd3k6q7be5y9x4v2m8n0r1st
             */
            contact_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
