// Starts the page of the API's documentation (backend/api/routes/docs.py). A file, because the CSP forbids inline scripts.
const LOCAL_HEADER = 'X-Hexarena-Local'

window.ui = SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  // An arena without isolation takes writes with its token only: src/lib/local-token.ts.
  requestInterceptor: (request) => {
    const token = localStorage.getItem('local-token')
    if (token && request.method !== 'GET') request.headers[LOCAL_HEADER] = token
    return request
  },
})
