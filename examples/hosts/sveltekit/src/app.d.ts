// Gives App.Locals its `membership`.
import 'membership/sveltekit'
