//! One loop, compiled for every instruction set, chosen at run time.
//!
//! The body of a [`kernel!`](crate::kernel) is plain array code without fused operations, so it computes the same
//! bits under SSE2, AVX2 and AVX-512; the macro only decides how wide the compiler may vectorise it.

#[doc(hidden)]
pub use pulp;

/// Wraps a call of an `#[inline(always)]` function so that it is compiled once per instruction set.
///
/// ```
/// #[inline(always)]
/// fn axpy_loop(a: f64, x: &[f64], y: &mut [f64]) {
///     for (y, x) in y.iter_mut().zip(x) {
///         *y += a * x;
///     }
/// }
/// dido_geometry::kernel! {
///     /// `y += a x`.
///     pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) = axpy_loop;
/// }
/// let mut y = [1.0, 2.0];
/// axpy(2.0, &[1.0, 1.0], &mut y);
/// assert_eq!(y, [3.0, 4.0]);
/// ```
#[macro_export]
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path;) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            // Not a closure: the shim that calls one is not inlined into the code compiled for the instruction set.
            struct Call<T>(T);
            #[allow(unused_parens, reason = "`()` without a return type, else parentheses around it")]
            impl $crate::simd::pulp::WithSimd for Call<($($ty,)*)> {
                type Output = ($($ret)?);
                #[inline(always)]
                fn with_simd<S: $crate::simd::pulp::Simd>(self, _: S) -> Self::Output {
                    let Self(($($arg,)*)) = self;
                    $body($($arg),*)
                }
            }
            $crate::simd::pulp::Arch::new().dispatch(Call(($($arg,)*)))
        }
    };
}

/// Asks the processor to bring the line of memory that holds `number` into its first-level cache. A hint: it waits for
/// nothing and changes no result.
///
/// Worth it where a loop knows what it will read and the processor cannot guess it. Processors other than x86-64 are not
/// asked.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is called in loops compiled inside the dispatch on the instruction set")]
pub fn prefetch(number: &f64) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(number).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = number;
}

/// The instruction set for which a [`kernel!`](crate::kernel) runs on this processor, as it is called in `pulp`.
pub fn level() -> &'static str {
    struct Name;
    impl pulp::WithSimd for Name {
        type Output = &'static str;
        fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
            let name = std::any::type_name::<S>();
            name.rsplit("::").next().unwrap_or(name)
        }
    }
    pulp::Arch::new().dispatch(Name)
}
