export function EpisodesPage({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="page">
      <h1>Episodes</h1>
      <p class="muted">{query.toString()}</p>
    </div>
  );
}
