export function ComparePage({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="page">
      <h1>Compare</h1>
      <p class="muted">{query.toString()}</p>
    </div>
  );
}
