export function RunsPage({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="page">
      <h1>Runs</h1>
      <p class="muted">{query.toString()}</p>
    </div>
  );
}
