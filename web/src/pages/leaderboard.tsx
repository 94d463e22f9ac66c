export function LeaderboardPage({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="page">
      <h1>Leaderboard</h1>
      <p class="muted">{query.toString()}</p>
    </div>
  );
}
